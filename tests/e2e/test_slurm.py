"""GPUs and the jobs of a real Slurm that hold them: the page says what Slurm says."""
import contextlib
import time

import pytest

from conftest import wait_for
from slurm_cluster import CGROUPS, IDLE, SlurmCluster, cgroup_version

MODE = "cgroup" if cgroup_version() else "plain"
# By NVML's index. Neither this order nor Slurm's is that of the minors, nor are they the same anywhere.
MINORS = (1, 3, 0, 2)
OPENABLE = """
for device in {devices}/nvidia*; do
  if said=$( (exec 3<>"$device") 2>&1 ) || [[ $said == *"No such device"* ]]; then echo "${{device##*nvidia}}"; fi
done > "$SLURM_JOB_ID.part"
mv "$SLURM_JOB_ID.part" "$SLURM_JOB_ID.devices"
"""


def uuid(minor):
    return f"GPU-51a20000-0000-4000-8000-{minor:012x}"


MINOR_OF = {uuid(minor): minor for minor in MINORS}


class Node:
    """An agent on the cluster's node, and a driver that knows of the processes it is told."""

    def __init__(self, cluster, start, directory, root="/", **slurm):
        self.cluster = cluster
        self.processes = directory / "processes"
        self.use({})
        gpus = "".join(f"  - {{model: h100, minor: {minor}, uuid: {uuid(minor)}, load: 0.8}}\n" for minor in MINORS)
        scenario = directory / "scenario.yaml"
        scenario.write_text(f"gpus:\n{gpus}processes_from: {self.processes}\n")
        settings = {"enabled": "true", "period": "1s", "poll": "1s", "node_name": cluster.node,
                    "config": cluster.config, "command_path": "/usr/bin", **slurm}
        self.agent = start("--simulate", str(scenario), config=(
            f"root: {root}\n"
            "publish_interval: 1s\nsources:\n  host: false\n  kmsg: false\n  nvml: {period: 500ms}\n"
            "  processes: {enabled: true, period: 1s}\n"
            f"  slurm: {{{', '.join(f'{key}: {value}' for key, value in settings.items())}}}\n"))

    def use(self, pids):
        """The driver lists these from now on: {minor: process ids}."""
        new = self.processes.with_suffix(".new")
        new.write_text("".join(f"{MINORS.index(minor)} {pid} 1024 40\n"
                               for minor, listed in pids.items() for pid in listed))
        new.rename(self.processes)

    def wait_page(self, what, condition):
        return self.agent.wait_page(what, condition)

    def wait_owned(self, expected):
        """The page on which GPUs have the owners that Slurm says they have, which are the expected."""
        expected = {minor: set(expected.get(minor, ())) for minor in MINORS}
        assert self.cluster.holders() == expected
        page = self.wait_page(f"the owners {expected}", lambda p: owners(p) == expected)
        assert self.cluster.holders() == expected
        return page


def owners(page):
    """The jobs that own each GPU: {minor: {job id, ...}}."""
    owned = {minor: set() for minor in MINORS}
    for name, labels, value in page.samples:
        if name == "gpu_owner_info" and labels["owner_kind"] == "slurm_job":
            assert value == 1
            owned[MINOR_OF[labels["gpu_uuid"]]].add(int(labels["slurm_job_id"]))
    return owned


def owner(page, minor):
    """What the page says of the one owner of a GPU."""
    found = [labels for name, labels, _ in page.samples
             if name == "gpu_owner_info" and labels["gpu_uuid"] == uuid(minor)]
    assert len(found) == 1, found
    return found[0]


def used(page, job):
    """The bytes that the job uses on each GPU."""
    return page.values("gpu_owner_memory_used_bytes", slurm_job_id=str(job))


def labelled(page, name):
    """The jobs on the series of that name: {minor: job id or None}."""
    return {MINOR_OF[labels["gpu_uuid"]]: labels.get("slurm_job_id")
            for found, labels, _ in page.samples if found == name}


@pytest.fixture(scope="module")
def clusters():
    with contextlib.ExitStack() as stack:
        started = {}

        def of(mode):
            if mode not in started:
                started[mode] = SlurmCluster(mode)
                stack.callback(started[mode].close)
            return started[mode]

        yield of


@pytest.fixture
def cluster(clusters):
    chosen = clusters(MODE)
    yield chosen
    chosen.clear()


@pytest.fixture
def node(cluster, start, tmp_path):
    return Node(cluster, start, tmp_path)


def held(cluster, job):
    """The minors of the job's GPUs, in Slurm's order."""
    holders = cluster.holders()
    return [minor for minor in cluster.minors if job in holders[minor]]


def test_a_job_owns_its_gpu_before_it_uses_it(cluster, node):
    job = cluster.submit("gpu:1", name="think first", account="ml")
    cluster.wait_running(job)
    minor = cluster.minors[0]
    page = node.wait_owned({minor: {job}})
    said = owner(page, minor)
    assert said["slurm_job_name"] == "think first"
    assert said["slurm_user"] == "nobody"
    assert said["slurm_partition"] == "gpu"
    assert said["slurm_account"] == "ml"
    assert said["gpu_index"] == str(MINORS.index(minor))


@pytest.mark.skipif(MODE != "cgroup", reason="only cgroups tell which devices a job may open")
def test_the_owner_of_a_gpu_is_who_may_open_it(cluster, node):
    script = OPENABLE.format(devices=cluster.root / "dev") + IDLE
    jobs = [cluster.submit("gpu:1", script), cluster.submit("gpu:2", script), cluster.submit("gpu:1", script)]
    opened = {}
    for job in jobs:
        report = cluster.root / "work" / f"{job}.devices"
        wait_for(f"job {job} to try the devices", report.exists)
        opened.update({int(minor): {job} for minor in report.read_text().split()})
    assert set(opened) == set(MINORS)
    node.wait_owned(opened)


def test_each_job_has_its_gpus(cluster, node):
    one = cluster.submit("gpu:1", name="one")
    two = cluster.submit("gpu:2", name="two", user="games")
    pids = {job: cluster.wait_running(job) for job in (one, two)}
    expected = {minor: {job} for job in (one, two) for minor in held(cluster, job)}
    assert len(expected) == 3
    node.use({minor: pids[job] for minor, (job,) in expected.items()})
    page = node.wait_owned(expected)
    for minor, (job,) in expected.items():
        assert owner(page, minor)["slurm_user"] == {one: "nobody", two: "games"}[job]
    in_use = {minor: str(*expected[minor]) if minor in expected else None for minor in MINORS}
    page = node.wait_page("the owners on gauges", lambda p: labelled(p, "gpu_memory_used_bytes") == in_use
                          and used(p, one) == [1 << 30] and used(p, two) == [1 << 30] * 2)
    assert set(labelled(page, "gpu_energy_consumption_joules_total").values()) == {None}
    cluster.cancel(two)
    cluster.wait_ended(two)
    node.wait_owned({minor: {one} for minor in held(cluster, one)})


@pytest.mark.skipif(MODE != "cgroup", reason="there are no cgroups that could be left behind")
def test_a_cgroup_that_is_left_behind_holds_nothing(cluster, start, tmp_path):
    job = cluster.submit("gpu:1")
    cluster.wait_running(job)
    left = CGROUPS / ("pids" if cgroup_version() == 1 else "") / f"slurm_{cluster.node}" / f"job_{job}"
    left.mkdir(parents=True)
    node = Node(cluster, start, tmp_path)
    node.wait_owned({minor: {job} for minor in held(cluster, job)})
    cluster.cancel(job)
    cluster.wait_ended(job)
    node.wait_owned({})
    left.rmdir()


def test_a_job_with_steps_is_one_owner(cluster, node):
    job = cluster.submit("gpu:2", "srun -n1 --exact --gres=gpu:1 sleep infinity &\n"
                                  "srun -n1 --exact --gres=gpu:1 sleep infinity &\nwait",
                         options=["--ntasks=2"])
    cluster.wait_running(job, steps=("0", "1"))
    steps = cluster.processes(job)
    first, second = held(cluster, job)
    node.use({first: steps["0"], second: steps["1"]})
    node.wait_owned({first: {job}, second: {job}})
    node.wait_page("what the steps use", lambda p: used(p, job) == [1 << 30] * 2)


def test_tasks_of_an_array_are_jobs_of_their_own(cluster, node):
    array = cluster.submit("gpu:1", array="5-7", name="sweep")
    tasks = wait_for("all tasks", lambda: (lambda t: t if set(t) == {5, 6, 7} else None)(cluster.tasks(array)))
    for job in tasks.values():
        cluster.wait_running(job)
    assert array in tasks.values() and len(set(tasks.values())) == 3
    page = node.wait_owned({minor: {job} for job in tasks.values() for minor in held(cluster, job)})
    for task, job in tasks.items():
        said = owner(page, *held(cluster, job))
        assert (said["slurm_array_job_id"], said["slurm_array_task_id"]) == (str(array), str(task))
    cluster.cancel(f"{array}_6")
    cluster.wait_ended(tasks.pop(6))
    node.wait_owned({minor: {job} for job in tasks.values() for minor in held(cluster, job)})


def test_two_jobs_that_share_a_gpu_both_own_it(cluster, node):
    jobs = [cluster.submit("shard:1"), cluster.submit("shard:1")]
    pids = [cluster.wait_running(job) for job in jobs]
    minor = cluster.minors[0]
    node.use({minor: sum(pids, [])})
    node.wait_owned({minor: set(jobs)})
    page = node.wait_page("what each uses", lambda p: [used(p, job) for job in jobs] == [[1 << 30]] * 2)
    assert labelled(page, "gpu_memory_used_bytes")[minor] is None, "the GPU's memory is neither's alone"


def test_a_job_without_gpus_changes_nothing(cluster, node):
    first = cluster.submit("gpu:1")
    cluster.wait_running(first)
    without = cluster.submit(name="no gpus")
    cluster.wait_running(without)
    last = cluster.submit("gpu:1")
    cluster.wait_running(last)
    page = node.wait_owned({minor: {job} for job in (first, last) for minor in held(cluster, job)})
    assert f'slurm_job_id="{without}"' not in page.text and "no gpus" not in page.text


def test_a_requeued_job_comes_back(cluster, node):
    job = cluster.submit("gpu:1")
    before = cluster.wait_running(job)
    minor, = held(cluster, job)
    node.use({minor: before})
    node.wait_owned({minor: {job}})
    cluster.requeue(job)
    node.use({})
    node.wait_page("nobody", lambda p: not any(owners(p).values()))
    after = cluster.wait_running(job)
    assert before != after
    minor, = held(cluster, job)
    node.use({minor: after})
    node.wait_owned({minor: {job}})


@pytest.mark.parametrize("end", [SlurmCluster.cancel, SlurmCluster.kill])
def test_a_job_that_ends_leaves_its_gpu(cluster, node, end):
    job = cluster.submit("gpu:1")
    minor = cluster.minors[0]
    node.use({minor: cluster.wait_running(job)})
    node.wait_owned({minor: {job}})
    end(cluster, job)
    node.use({})
    cluster.wait_ended(job)
    node.wait_owned({})
    node.wait_page("nothing of it", lambda p: f'slurm_job_id="{job}"' not in p.text and
                   labelled(p, "gpu_memory_used_bytes") == dict.fromkeys(MINORS))


def test_busy_time_is_each_jobs_own(cluster, node):
    def busy(page, job):
        return page.value("gpu_owner_busy_time_seconds_total", slurm_job_id=str(job))

    minor = cluster.minors[0]
    first = cluster.submit("gpu:1")
    node.use({minor: cluster.wait_running(first)})
    node.wait_page("seconds of the first job", lambda p: (busy(p, first) or 0) > 4)
    cluster.cancel(first)
    node.use({})
    cluster.wait_ended(first)
    began = time.monotonic()
    second = cluster.submit("gpu:1")
    node.use({minor: cluster.wait_running(second)})
    assert held(cluster, second) == [minor]
    page = node.wait_page("the second job", lambda p: busy(p, second) is not None)
    assert busy(page, second) <= time.monotonic() - began
    node.wait_page("its seconds, and none of the first", lambda p: (busy(p, second) or 0) > 1 and busy(p, first) is None)


def test_a_name_is_only_a_name(cluster, node):
    """Slurm's commands write job names as they are, line breaks and all."""
    real = cluster.submit("gpu:1", name="real")
    cluster.wait_running(real)
    row = (f"JobId={real + 1} JobName=x UserId=root(0) GroupId=root(0) MCS_label=N/A JobState=RUNNING "
           f"Partition=gpu NodeList={cluster.node} JOB_GRES=gpu:h100:1   Nodes={cluster.node} CPU_IDs=0 Mem=0 "
           "GRES=gpu:h100:4(IDX:0-3) MinCPUsNode=1 Command=x")
    liars = [cluster.submit(name=f"a\n{row}\n"), cluster.submit(name=row), cluster.submit("gpu:1", name=f"b {row}")]
    for job in liars:
        cluster.wait_running(job)
    page = node.wait_owned({minor: {job} for job in (real, liars[-1]) for minor in held(cluster, job)})
    assert {labels["slurm_user"] for name, labels, _ in page.samples if name == "gpu_owner_info"} == {"nobody"}


def test_without_its_controller_a_job_is_known_by_its_processes(cluster, start, tmp_path):
    job = cluster.submit("gpu:1", name="left alone")
    idle = cluster.submit("gpu:1")
    pids = cluster.wait_running(job)
    cluster.wait_running(idle)
    minor, = held(cluster, job)
    cluster.stop("slurmctld")
    try:
        node = Node(cluster, start, tmp_path)
        node.use({minor: pids})
        page = node.wait_page("the failure and the job", lambda p: owners(p)[minor] == {job}
                              and p.value("warpsight_source_up", source="slurm") == 0)
        assert owner(page, minor)["slurm_user"] == "nobody"
        assert idle not in set().union(*owners(page).values()), "only the controller knows what it holds"
    finally:
        cluster.start_controller()
    page = node.wait_owned({m: {j} for j in (job, idle) for m in held(cluster, j)})
    assert owner(page, minor)["slurm_job_name"] == "left alone"


@pytest.mark.parametrize("query", ["scontrol", "squeue", "slurmrestd"])
def test_every_way_to_ask_gives_the_same_answer(cluster, start, tmp_path, query):
    rest = {"slurmrestd": f"'unix:{cluster.start_rest()}'"} if query == "slurmrestd" else {}
    node = Node(cluster, start, tmp_path, query=query, **rest)
    jobs = [cluster.submit("gpu:2", name="pair", account="ml"), cluster.submit("shard:2", name="part", user="games")]
    for job in jobs:
        cluster.wait_running(job)
    page = node.wait_owned({minor: {job} for job in jobs for minor in held(cluster, job)})
    for job, name, user in zip(jobs, ("pair", "part"), ("nobody", "games")):
        said = owner(page, held(cluster, job)[0])
        assert (said["slurm_job_name"], said["slurm_user"], said["owner_evidence"]) == (name, user, query)


@pytest.mark.parametrize("mode, evidence", [("cgroup", "slurm_cgroup"), ("plain", "slurm_env")])
def test_processes_alone_tell_their_job(clusters, start, tmp_path, mode, evidence):
    cluster = clusters(mode)
    root = tmp_path / "root"  # without the cgroups of clusters that other tests run
    (root / "etc").mkdir(parents=True)
    (root / "etc/passwd").symlink_to("/etc/passwd")
    (root / "proc").symlink_to("/proc")
    node = Node(cluster, start, tmp_path, root=root if mode == "plain" else "/", query="none")
    try:
        job = cluster.submit("gpu:1")
        idle = cluster.submit("gpu:1")
        pids = cluster.wait_running(job)
        cluster.wait_running(idle)
        minor, = held(cluster, job)
        node.use({minor: pids})
        page = node.wait_page("the job", lambda p: owners(p)[minor] == {job})
        said = owner(page, minor)
        assert (said["owner_evidence"], said["slurm_user"]) == (evidence, "nobody")
        assert idle not in set().union(*owners(page).values()), "nobody was asked who holds what"
        node.use({})
        node.wait_page("nobody", lambda p: not any(owners(p).values()))
    finally:
        cluster.clear()
