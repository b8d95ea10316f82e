"""Whose GPUs they are, on a node of Kubernetes: what the real agent says, and what it survives."""
import json
import threading
import time
from collections import namedtuple

import pytest

import otlp_points
from conftest import BINARY, wait_for
from kubelet import (GPU_RESOURCE, Claim, Container, Node, Pod, PodResources, Processes, Reference, owned,
                     resource_slice)
from peers import Certificates, HttpPeer, Prometheus

UUID = "GPU-5eed0000-0000-4000-8000-00000000"
GPU = [f"{UUID}{index:04x}" for index in range(8)]
MIG = [f"MIG-5eed0000-0000-4000-8000-00000001{index:04x}" for index in range(2)]
GIB = 1 << 30
GAUGES = ("gpu_memory_used_bytes", "gpu_utilization_ratio", "gpu_power_draw_watts")
COUNTERS = ("gpu_energy_consumption_joules_total", "gpu_busy_time_seconds_total")
ACCOUNTS = ("gpu_owner_energy_joules_total", "gpu_owner_busy_time_seconds_total")
TENANT = "[k8s.pod.label.team, k8s.namespace.name, slurm.account, process.owner]"

WHOLE_GPUS = """
gpus:
  - {{model: l4, load: 1, uuid: '{uuid}{{hex}}', readings: {{memory_used: 17179869184}}}}
  - {{model: l4, load: 1, count: {others}, uuid: '{uuid}{{hex}}'}}
"""
MIG_GPU = f"""
gpus:
  - model: a100
    uuid: '{UUID}{{hex}}'
    mig:
      - {{profile: 3g.40gb, gi: 1, ci: 0, load: 0.5, uuid: {MIG[0]}}}
      - {{profile: 2g.20gb, gi: 3, ci: 0, load: 0.5, uuid: {MIG[1]}}}
"""


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def cluster(certificates):
    made = []

    def make(**more):
        made.append(Node(certificates, **more))
        return made[-1]

    yield make
    for node in made:
        node.close()


@pytest.fixture
def node(cluster):
    return cluster()


@pytest.fixture
def watch(start, tmp_path):
    """An agent on `node`, whose GPUs the scenario names."""
    def launch(node, gpus=4, scenario=None, processes=None, environment=None, **more):
        text = scenario or WHOLE_GPUS.format(uuid=UUID, others=gpus - 1)
        node.resources.allocatable = {"nvidia.com/mig-1g.10gb": MIG} if scenario else {GPU_RESOURCE: GPU[:gpus]}
        if processes:
            text += f"processes_from: {processes.file}\n"
        path = tmp_path / "scenario.yaml"
        path.write_text(text)
        return start("--simulate", str(path), environment=environment,
                     config=config(node, root=processes and processes.root, **more))
    return launch


def config(node, owner_labels="gauges", pod_labels="[team]", root=None, more=""):
    return f"""
publish_interval: 1s
owner_labels: {owner_labels}
tenant: {TENANT}
{f"root: {root}" if root else ""}
sources:
  nvml: {{period: 500ms}}
  host: false
  kmsg: false
  pci: false
  processes: {{enabled: {"true" if root else "false"}}}
  kubernetes:
    enabled: true
    pod_resources: "unix:{node.resources.path}"
    node_name: {node.name}
    api: "{node.api.url}"
    kubelet: "{node.kubelet.url}"
    token_file: {node.token_file}
    ca_file: {node.authority}
    metadata: auto
    poll: 1s
    pod_labels: {pod_labels}
{more}"""


def shown(labels):
    """What a series says of an owner."""
    return {k: v for k, v in labels.items() if k.startswith(("k8s_", "container_", "owner_", "tenant"))}


def labels_of(page, metric, gpu, mig=None):
    """Of each series that a GPU, or an instance of it, has of a metric."""
    return [labels for name, labels, _ in page.samples
            if name == metric and labels.get("gpu_uuid") == gpu and labels.get("gpu_mig_uuid") == mig]


def owners(page, gpu, mig=None):
    return [shown(labels) for labels in labels_of(page, "gpu_owner_info", gpu, mig)]


def pods(page, gpu, mig=None):
    return [owner["k8s_pod_name"] for owner in owners(page, gpu, mig)]


def uids(page, gpu):
    return [owner.get("k8s_pod_uid") for owner in owners(page, gpu)]


def worn(page, gpu, metric="gpu_power_draw_watts", mig=None):
    """What the one series of a GPU's own metric says of an owner."""
    (labels,) = labels_of(page, metric, gpu, mig)
    return shown(labels)


def told(page, *gpus):
    """Whether their gauges are there: after a change of owner they wait for the next reading."""
    return all(labels_of(page, metric, gpu) for metric in GAUGES for gpu in gpus)


def wait_pods(agent, **expected):
    """A page on which GPU number i (`gpu_i`) is owned by that pod; None: by nobody."""
    owned_by = {GPU[int(name[4:])]: [pod] if pod else [] for name, pod in expected.items()}
    return agent.wait_page(f"the owners {expected}", lambda p: told(p, *owned_by) and all(
        pods(p, gpu) == names for gpu, names in owned_by.items()))


def wait_uids(agent, owned_by):
    """A page on which each GPU is owned by its pod."""
    return agent.wait_page("the uids of " + ", ".join(pod.name for pod in owned_by.values()), lambda p: (
        told(p, *owned_by) and all(uids(p, gpu) == [pod.uid] for gpu, pod in owned_by.items())))


def wait_uid(agent, gpu, pod):
    return wait_uids(agent, {gpu: pod})


def wait_publishes(agent, count):
    seen = set()
    wait_for(f"{count} publishes", lambda: seen.add(agent.status()["publish"]["time"]) or len(seen) > count,
             interval=0.1)


def source(agent):
    return next(s for s in agent.status()["sources"] if s["name"] == "kubernetes")


def assert_telemetry_flows(agent, gpus=4):
    wait_publishes(agent, 2)
    page = agent.page()
    assert len(page.gpus("gpu_power_draw_watts")) == gpus
    assert page.value("warpsight_source_up", source="nvml") == 1


class Churn(threading.Thread):
    """Pods come and go, each alone on a GPU; keeps which were when."""
    Stay = namedtuple("Stay", "pod since until")

    def __init__(self, node, gpus, count, pause=0.015):
        super().__init__(daemon=True)
        self.node, self.gpus, self.count, self.pause = node, gpus, count, pause
        self.current = {}
        self.stays = {gpu: [] for gpu in gpus}  # those that have ended

    def run(self):
        for number in range(self.count):
            self.replace(self.gpus[number % len(self.gpus)], f"burst-{number}", f"team-{number % 5}")
            time.sleep(self.pause)
        for gpu in self.gpus:
            self.end(gpu)

    def replace(self, gpu, name, team):
        self.end(gpu)
        pod = Pod(name, gpus=[gpu], labels={"team": team})
        self.current[gpu] = (pod, time.monotonic())
        self.node.run(pod)

    def end(self, gpu):
        if gpu in self.current:
            pod, since = self.current[gpu]
            self.node.delete(pod)
            self.stays[gpu].append(self.Stay(pod, since, time.monotonic()))
            del self.current[gpu]

    def there(self, gpu, since, until):
        """Pods that had the GPU at some moment of a span: {name: uid}."""
        current = self.current.get(gpu)
        stays = self.stays[gpu] + ([self.Stay(*current, until)] if current else [])
        return {s.pod.name: s.pod.uid for s in stays if s.since <= until and s.until >= since}


class Publishes:
    """When each publish was first and last seen on the page, told apart by a counter that always grows."""

    def __init__(self):
        self.seen = []  # [value, first, last]

    def see(self, page):
        now = time.monotonic()
        value = page.value("gpu_energy_consumption_joules_total", gpu_uuid=GPU[0])
        if not self.seen or self.seen[-1][0] != value:
            self.seen.append([value, now, now])
        self.seen[-1][2] = now
        return now

    def since_the_one_before(self):
        """A moment that the publish before the newest came after."""
        return self.seen[-3][2] if len(self.seen) > 2 else 0


def memory_mb(pid):
    """Its own alone: the rest is shared with whatever other agents run meanwhile."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Anonymous:")) / 1024


def test_a_thousand_pods_come_and_go(node, watch):
    churn = Churn(node, GPU, 1000)
    # Its memory is looked at: the address sanitizer is to hold nothing back that was freed.
    agent = watch(node, gpus=8, environment={
        "ASAN_OPTIONS": "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"})
    agent.wait_page("8 GPUs", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    for number, gpu in enumerate(GPU):
        churn.replace(gpu, f"first-{number}", "team-0")
    steady = wait_uids(agent, {gpu: pod for gpu, (pod, _) in churn.current.items()})
    series, memory = sum(steady.values("warpsight_series")), memory_mb(agent.process.pid)
    publishes, met = Publishes(), set()
    churn.start()
    while churn.is_alive():
        page = agent.page()
        now = publishes.see(page)
        # What was published was asked for with the last answer, or the one before it.
        answers = [at for at in list(node.resources.listed_at) if at <= publishes.seen[-1][1]]
        since = min([publishes.since_the_one_before(), *answers[-2:-1]])
        for gpu in GPU:
            there = churn.there(gpu, since, now)
            # An account is told until the meters have covered its owner's time.
            for owner in [l for n, l, _ in page.samples if l.get("gpu_uuid") == gpu and "k8s_pod_name" in l
                          and n not in ACCOUNTS]:
                name = owner["k8s_pod_name"]
                assert name in there, f"{name} has not had {gpu} since the publish before: {sorted(there)}"
                assert owner.get("k8s_pod_uid") in (None, there[name])
                met.add(name)
            assert all(len(labels_of(page, metric, gpu)) <= 1 for metric in GAUGES)
        accounts = sum(1 for name, _, _ in page.samples if name in ACCOUNTS)
        assert accounts <= 60 * len(ACCOUNTS) * len(GPU)
        assert sum(page.values("warpsight_series")) - accounts <= 1.5 * series
        time.sleep(0.1)
    assert len(met) >= 3 * len(GPU), "the agent did not follow"
    page = agent.wait_page("nothing of pods", lambda p: "k8s_pod_name" not in p.text)
    assert sum(page.values("warpsight_series")) <= series
    if "/tsan/" not in BINARY:  # whose memory is mostly the sanitizer's
        assert memory_mb(agent.process.pid) <= memory + 16


def test_a_gpu_is_whose_the_kubelet_says_whatever_its_number(node, watch):
    train = Pod("train-0", Container("worker", [(GPU_RESOURCE, [GPU[3]]), (GPU_RESOURCE, [GPU[0]])]),
                Container("sidecar"), labels={"team": "ml", "app": "train"})
    infer = Pod("infer-0", Container("srv", [(GPU_RESOURCE, [GPU[1]])]), namespace="serving")
    node.run(train, infer)
    node.api.put("pods", Pod("elsewhere", gpus=[GPU[2]], node="node1").json())
    agent = watch(node)
    page = wait_uids(agent, {GPU[0]: train, GPU[1]: infer, GPU[3]: train})
    expected = {GPU[0]: (train, "worker", "ml"), GPU[1]: (infer, "srv", "serving"), GPU[3]: (train, "worker", "ml")}
    for gpu, (pod, container, tenant) in expected.items():
        (owner,) = owners(page, gpu)
        assert {"k8s_pod_name": pod.name, "k8s_namespace_name": pod.namespace, "k8s_container_name": container,
                "k8s_pod_uid": pod.uid, "k8s_node_name": node.name, "tenant": tenant, "owner_kind": "pod",
                "owner_evidence": "pod_resources"}.items() <= owner.items()
        assert owner.get("k8s_pod_label_team") == pod.labels.get("team") and "k8s_pod_label_app" not in owner
        assert all(worn(page, gpu, metric) == owner for metric in GAUGES)
        assert all(worn(page, gpu, metric) == {} for metric in COUNTERS)
    assert owners(page, GPU[2]) == []
    assert all(worn(page, GPU[2], metric) == {} for metric in GAUGES)
    selectors = [query.get("fieldSelector", "") for path, query, _ in node.api.asked if path == "/api/v1/pods"]
    assert selectors and all("spec.nodeName=node0" in selector for selector in selectors)


@pytest.mark.parametrize("mode, on_gauges, on_counters",
                         [("gauges", True, False), ("all", True, True), ("info", False, False)])
def test_owner_labels_stand_where_they_are_wanted(node, watch, mode, on_gauges, on_counters):
    pod = Pod("train-0", gpus=[GPU[2]])
    node.run(pod)
    agent = watch(node, owner_labels=mode)
    page = wait_uid(agent, GPU[2], pod)
    for metrics, wanted in ((GAUGES, on_gauges), (COUNTERS, on_counters)):
        for metric in metrics:
            assert worn(page, GPU[2], metric).get("k8s_pod_uid") == (pod.uid if wanted else None), metric
    for metric in ("gpu_owner_busy_time_seconds_total", "gpu_owner_energy_joules_total"):
        assert page.values(metric, k8s_pod_uid=pod.uid)


def test_a_pod_that_comes_again_is_another(node, watch):
    old = Pod("train-0", gpus=[GPU[0], GPU[1]])
    node.run(old)
    agent = watch(node)
    busy = "gpu_owner_busy_time_seconds_total"
    agent.wait_page("some use", lambda p: (p.value(busy, gpu_uuid=GPU[0], k8s_pod_uid=old.uid) or 0) > 3)
    node.delete(old)
    new = old.again()
    began = time.monotonic()
    node.run(new)
    page = wait_uid(agent, GPU[0], new)
    assert page.value(busy, gpu_uuid=GPU[0], k8s_pod_uid=new.uid) <= time.monotonic() - began
    assert worn(page, GPU[0])["k8s_pod_uid"] == new.uid
    node.delete(new)
    page = wait_pods(agent, gpu_0=None, gpu_1=None)
    assert worn(page, GPU[0]) == worn(page, GPU[1]) == {}
    agent.wait_page("the accounts of both closed", lambda p: old.uid not in p.text and new.uid not in p.text)


def test_one_owner_has_all_of_its_gpu(node, watch):
    pod = Pod("train-0", gpus=[GPU[1]])
    node.run(pod)
    agent = watch(node)
    parts = ("gpu_owner_energy_joules_total", "gpu_owner_busy_time_seconds_total")
    # What a meter gained while the pod came is not all the pod's.
    first = agent.wait_page("its accounts", lambda p: all(
        sum(p.values(part, gpu_uuid=GPU[1], k8s_pod_uid=pod.uid)) > 0 for part in parts))
    later = agent.wait_page("some use", lambda p: gained(first, p, parts[1], GPU[1], k8s_pod_uid=pod.uid) > 2)
    for part, whole in zip(parts, COUNTERS):
        assert (gained(first, later, part, GPU[1], k8s_pod_uid=pod.uid)
                == pytest.approx(gained(first, later, whole, GPU[1]), rel=0.02))


def gained(first, later, metric, gpu, **labels):
    """By how much the sum of a GPU's series grew."""
    return sum(sum(page.values(metric, gpu_uuid=gpu, **labels)) * sign for page, sign in ((later, 1), (first, -1)))


@pytest.mark.parametrize("form", ["systemd", "cgroupfs"])
def test_a_shared_gpu_is_split_by_use(node, watch, tmp_path, form):
    small = Pod("small-0", Container("a", [(GPU_RESOURCE, [f"{GPU[0]}::0"])]))
    large = Pod("large-0", Container("b", [(GPU_RESOURCE, [f"{GPU[0]}::1"])]), namespace="serving")
    node.run(small, large)
    processes = Processes(tmp_path / "root")
    whose = {processes.add(0, small, memory=4 * 1024, sm=20, form=form): "small-0",
             processes.add(0, large, memory=6 * 1024, sm=40, form=form): "large-0",
             processes.add(0, large, memory=2 * 1024, sm=20, form=form): "large-0"}
    agent = watch(node, processes=processes)
    memory, busy, energy = ("gpu_owner_memory_used_bytes", "gpu_owner_busy_time_seconds_total",
                            "gpu_owner_energy_joules_total")

    def part(page, metric, pod):
        return page.value(metric, gpu_uuid=GPU[0], k8s_pod_uid=pod.uid) or 0

    first = agent.wait_page("both at work", lambda p: told(p, GPU[0]) and all(
        part(p, busy, pod) > 0 and part(p, memory, pod) > 0 for pod in (small, large)))
    assert sorted(pods(first, GPU[0])) == ["large-0", "small-0"]
    assert all(worn(first, GPU[0], metric) == {} for metric in GAUGES), "it has two owners"
    assert part(first, memory, small) == 4 * GIB and part(first, memory, large) == 8 * GIB
    assert first.value(memory, gpu_uuid=GPU[0], owner_kind="unattributed") == 4 * GIB
    assert sum(first.values(memory, gpu_uuid=GPU[0])) == first.value("gpu_memory_used_bytes", gpu_uuid=GPU[0])
    later = agent.wait_page("more work", lambda p: all(
        gained(first, p, metric, GPU[0], k8s_pod_uid=large.uid) > 2 for metric in (busy, energy)))
    for metric in (energy, busy):
        parts = [gained(first, later, metric, GPU[0], k8s_pod_uid=pod.uid) for pod in (small, large)]
        assert parts[1] == pytest.approx(3 * parts[0], rel=0.2), metric
        assert gained(first, later, metric, GPU[0], owner_kind="unattributed") > 0
    # They follow the device's by what the driver's samples of processes do not cover yet.
    whole = later.value(COUNTERS[1], gpu_uuid=GPU[0])
    assert whole - 15 < sum(later.values(busy, gpu_uuid=GPU[0])) <= whole + 1e-6
    assert {int(l["process_pid"]): l.get("k8s_pod_name")
            for l in labels_of(later, "gpu_process_memory_used_bytes", GPU[0])} == whose


@pytest.mark.parametrize("ids", [MIG, [f"MIG-{GPU[0]}/1/0", f"MIG-{GPU[0]}/3/0"]], ids=["uuid", "instance"])
def test_instances_have_owners_of_their_own(node, watch, ids):
    first = Pod("first-0", Container(devices=[("nvidia.com/mig-3g.40gb", [ids[0]])]), labels={"team": "a"})
    second = Pod("second-0", Container(devices=[("nvidia.com/mig-2g.20gb", [ids[1]])]), labels={"team": "b"})
    node.run(first, second)
    agent = watch(node, scenario=MIG_GPU)
    memory = "gpu_memory_used_bytes"

    def wait_instances(*expected):
        return agent.wait_page(f"the owners {expected}", lambda p: all(
            pods(p, GPU[0], mig) == names and labels_of(p, memory, GPU[0], mig) for mig, names in zip(MIG, expected)))

    page = wait_instances(["first-0"], ["second-0"])
    for mig, tenant in zip(MIG, "ab"):
        assert worn(page, GPU[0], memory, mig)["tenant"] == tenant
    assert worn(page, GPU[0], memory) == {}
    node.delete(second)
    page = wait_instances(["first-0"], [])
    assert worn(page, GPU[0], memory, MIG[1]) == {}
    assert worn(page, GPU[0], memory, MIG[0])["tenant"] == "a"


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_claimed_devices_are_found_by_their_slices(cluster, watch, version):
    node = cluster(slices=version)
    named = {f"gpu-{number}": {"type": "gpu", "uuid": GPU[3 - number]} for number in range(4)}
    node.api.put("resourceslices", resource_slice(named, version=version))
    node.run(Pod("claims-0", Container("w", claims=[Claim("train", "node0", "gpu-0")])))
    agent = watch(node)
    page = wait_pods(agent, gpu_3="claims-0", gpu_0=None)
    assert owners(page, GPU[3])[0]["owner_evidence"] == "dra"
    assert worn(page, GPU[3])["k8s_pod_name"] == "claims-0"
    node.run(Pod("claims-1", Container("w", claims=[Claim("infer", "node0", "gpu-2")])))
    wait_pods(agent, gpu_1="claims-1", gpu_3="claims-0")


def spoil(**state):
    return lambda kubelet: [setattr(kubelet, name, value) for name, value in state.items()]


TROUBLES = {
    "hung": spoil(hung=True),
    "frozen": PodResources.freeze,
    "gone": PodResources.stop,
    "http1": lambda kubelet: kubelet.babble(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
    "garbage": spoil(garbage=b"\x0a\xff\xff\xff\xff\x7f"),
    "refused": spoil(error=("RESOURCE_EXHAUSTED", "rejected by rate limit")),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_kubelet_in_trouble_costs_nothing_but_owners(node, watch, trouble):
    node.run(Pod("train-0", gpus=[GPU[0]]))
    agent = watch(node)
    wait_pods(agent, gpu_0="train-0")
    TROUBLES[trouble](node.resources)
    error = wait_for("the error, with a hint", lambda: (
        lambda text: text if "; " in text else None)(source(agent)["last_error"]))
    assert "pod-resources" in error or "kubelet" in error
    assert_telemetry_flows(agent)
    assert agent.page().value("warpsight_source_up", source="kubernetes") == 0
    node.run(Pod("train-1", gpus=[GPU[1]]))
    spoil(hung=False, garbage=None, error=None)(node.resources)
    node.resources.restart()
    wait_pods(agent, gpu_0="train-0", gpu_1="train-1")
    wait_for("it to be well again", lambda: source(agent)["up"] and not source(agent)["last_error"])


def test_a_kubelet_may_restart_or_come_later(node, watch):
    node.resources.stop()
    pod = Pod("train-0", gpus=[GPU[0]])
    node.run(pod)
    agent = watch(node)
    wait_for("its absence to be told", lambda: source(agent)["last_error"])
    node.resources.start()
    wait_pods(agent, gpu_0="train-0")
    node.resources.restart()
    node.delete(pod)
    node.run(Pod("train-1", gpus=[GPU[0]]))
    page = wait_pods(agent, gpu_0="train-1")
    assert worn(page, GPU[0])["k8s_pod_name"] == "train-1"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_an_ended_pod_has_no_gpu_though_it_is_listed(node, watch, phase):
    first, second = Pod("job-1", gpus=[GPU[0]]), Pod("job-2", gpus=[GPU[1]])
    node.run(first, second)
    agent = watch(node)
    wait_pods(agent, gpu_0="job-1", gpu_1="job-2")
    node.finish(first, phase)
    node.finish(second, phase)
    node.run(Pod("job-3", gpus=[GPU[0]]))
    page = wait_pods(agent, gpu_0="job-3", gpu_1=None)
    assert worn(page, GPU[0])["k8s_pod_name"] == "job-3"
    assert worn(page, GPU[1]) == {}


def test_without_the_api_the_kubelet_is_asked(node, watch):
    node.api.forbidden.add("pods")
    pod = Pod("train-0", gpus=[GPU[0]], labels={"team": "ml"})
    node.run(pod)
    agent = watch(node)
    page = wait_uid(agent, GPU[0], pod)
    assert owners(page, GPU[0])[0]["tenant"] == "ml"
    assert 403 in node.api.statuses("/api/v1/pods") and 200 in node.kubelet.statuses("/pods")
    node.delete(pod)
    again = pod.again()
    node.run(again)
    wait_uid(agent, GPU[0], again)


def test_without_any_metadata_names_remain(node, watch):
    node.api.forbidden.add("pods")
    node.kubelet.forbidden = True
    node.run(Pod("train-0", Container("worker", [(GPU_RESOURCE, [GPU[0]])]), labels={"team": "ml"}))
    agent = watch(node)
    page = wait_pods(agent, gpu_0="train-0")
    (owner,) = owners(page, GPU[0])
    names = {"k8s_namespace_name": "default", "k8s_container_name": "worker", "tenant": "default"}
    assert names.items() <= owner.items()
    assert "k8s_pod_uid" not in owner
    assert worn(page, GPU[0])["k8s_pod_name"] == "train-0"
    wait_for("both refusals", lambda: 403 in node.api.statuses() and 403 in node.kubelet.statuses())
    wait_for("word of it", lambda: "forbidden" in json.dumps(agent.status()).lower()
             or "forbidden" in agent.logged().lower())


def test_an_owner_that_may_not_be_asked_for_is_left_out(node, watch):
    node.api.forbidden |= {"replicasets", "jobs"}
    pod = Pod("web-7d9f8c6b5d-x2x4z", gpus=[GPU[0]], owner=Reference("ReplicaSet", "web-7d9f8c6b5d"))
    node.run(pod)
    page = wait_uid(watch(node), GPU[0], pod)
    assert owners(page, GPU[0])[0]["k8s_replicaset_name"] == "web-7d9f8c6b5d"


def test_a_token_is_read_again(node, watch):
    first, second = Pod("train-0", gpus=[GPU[0]]), Pod("train-1", gpus=[GPU[1]])
    node.run(first)
    agent = watch(node)
    wait_uid(agent, GPU[0], first)
    node.api.tokens = node.kubelet.tokens = {"token-2"}
    node.api.drop_watches()
    wait_for("the old one to be refused", lambda: 401 in node.api.statuses("/api/v1/pods"))
    node.set_token("token-2")
    node.run(second)
    page = wait_uid(agent, GPU[1], second)
    assert uids(page, GPU[0]) == [first.uid]
    told = agent.logged() + json.dumps(agent.status()) + page.text
    assert "token-1" not in told and "token-2" not in told


@pytest.mark.parametrize("gone_by", ["http", "event"])
def test_a_version_that_was_forgotten_is_no_loss(node, watch, gone_by):
    old = Pod("train-0", gpus=[GPU[0]], labels={"team": "a"})
    node.run(old)
    agent = watch(node)
    wait_uid(agent, GPU[0], old)
    wait_for("a watch", node.api.watches)
    new = old.again()
    new.labels = {"team": "b"}
    with node.api.forgetting(gone_by):
        node.delete(old)
        node.run(new)
    page = wait_uid(agent, GPU[0], new)
    assert owners(page, GPU[0])[0]["k8s_pod_label_team"] == "b"
    later = Pod("train-1", gpus=[GPU[1]])
    node.run(later)
    wait_uid(agent, GPU[1], later)


API_TROUBLES = {
    "watch_ends": lambda api: api.drop_watches(),
    "watch_torn": lambda api: api.drop_watches(torn=True),
    "restart": lambda api: api.restart(),
    "away": lambda api: api.stop(),
    "hung": lambda api: (setattr(api, "hung", True), api.drop_watches()),
}


@pytest.mark.parametrize("trouble", API_TROUBLES)
def test_an_api_server_in_trouble_is_followed_again(node, watch, trouble):
    first, second = Pod("train-0", gpus=[GPU[0]]), Pod("train-1", gpus=[GPU[1]], labels={"team": "ml"})
    node.run(first)
    agent = watch(node)
    wait_uid(agent, GPU[0], first)
    node.kubelet.forbidden = True
    API_TROUBLES[trouble](node.api)
    node.run(second)
    if trouble in ("away", "hung"):
        assert_telemetry_flows(agent)
        assert pods(agent.page(), GPU[0]) == ["train-0"]
    node.api.hung = False
    if trouble == "away":
        node.api.start()
    page = wait_uid(agent, GPU[1], second)
    assert worn(page, GPU[1])["k8s_pod_label_team"] == "ml"
    assert uids(page, GPU[0]) == [first.uid]


def test_long_lists_come_in_pages(node, watch):
    node.api.page_size = 3
    for number in range(10):
        node.api.put("pods", Pod(f"filler-{number}").json())
    pod = Pod("train-0", gpus=[GPU[0]])
    node.run(pod)
    agent = watch(node)
    wait_uid(agent, GPU[0], pod)
    assert sum("continue" in query for path, query, _ in node.api.asked if path == "/api/v1/pods") >= 3


def test_workloads_are_named(node, watch):
    node.api.put("replicasets", owned("web-7d9f8c6b5d", owner=Reference("Deployment", "web")))
    node.api.put("jobs", owned("nightly-29381", owner=Reference("CronJob", "nightly", "batch/v1")))
    asked_for = {
        "web-7d9f8c6b5d-x2x4z": (Reference("ReplicaSet", "web-7d9f8c6b5d"),
                                 {"k8s_replicaset_name": "web-7d9f8c6b5d", "k8s_deployment_name": "web"}),
        "nightly-29381-abcde": (Reference("Job", "nightly-29381", "batch/v1"),
                                {"k8s_job_name": "nightly-29381", "k8s_cronjob_name": "nightly"}),
        "llama-worker-0": (Reference("PyTorchJob", "llama", "kubeflow.org/v1"),
                           {"k8s_owner_kind": "PyTorchJob", "k8s_owner_name": "llama"}),
        "db-0": (Reference("StatefulSet", "db"), {"k8s_statefulset_name": "db"}),
    }
    for gpu, (name, (owner, _)) in zip(GPU, asked_for.items()):
        node.run(Pod(name, gpus=[gpu], owner=owner))
    agent = watch(node)

    def named(page):
        return told(page, *GPU[:4]) and all(expected.items() <= (owners(page, gpu) or [{}])[0].items()
                   for gpu, (_, expected) in zip(GPU, asked_for.values()))

    page = agent.wait_page("the workloads", named)
    for gpu, (name, (_, expected)) in zip(GPU, asked_for.items()):
        assert pods(page, gpu) == [name] and expected.items() <= worn(page, gpu).items()
    assert "k8s_owner_name" not in owners(page, GPU[0])[0]


@pytest.mark.parametrize("pod_labels", ["[team]", "[]"], ids=["shown", "hidden"])
def test_a_tenant_needs_no_label_on_the_page(node, watch, pod_labels):
    labelled = Pod("train-0", gpus=[GPU[0]], labels={"team": "ml"})
    plain = Pod("train-1", gpus=[GPU[1]], namespace="research")
    node.run(labelled, plain)
    agent = watch(node, pod_labels=pod_labels)
    page = wait_uids(agent, {GPU[0]: labelled, GPU[1]: plain})
    assert [owners(page, gpu)[0]["tenant"] for gpu in GPU[:2]] == ["ml", "research"]
    assert worn(page, GPU[0])["tenant"] == "ml"
    assert ("k8s_pod_label_team" in page.text) == (pod_labels == "[team]")


def test_a_pod_on_a_gpu_it_was_not_given_is_told_once(node, watch, tmp_path):
    given, stray = Pod("given-0", gpus=[GPU[0]]), Pod("stray-0", gpus=[GPU[1]])
    node.run(given, stray)
    processes = Processes(tmp_path / "root")
    processes.add(0, given, memory=1024, sm=50)
    processes.add(1, stray, memory=1024, sm=50)
    processes.add(0, stray, memory=1024, sm=50)
    agent = watch(node, processes=processes)

    def mismatches():
        agent.died()
        return [event for event in agent.status()["events"] if event["event"] == "gpu.owner.mismatch"]

    wait_for("the event", mismatches, interval=0.2)
    wait_publishes(agent, 3)
    (event,) = mismatches()
    assert event["entity"]["gpu.uuid"] == GPU[0] and "stray-0" in event["message"]
    page = agent.wait_page("the gauges", lambda p: told(p, GPU[0], GPU[1]))
    assert sorted(pods(page, GPU[0])) == ["given-0", "stray-0"] and worn(page, GPU[0]) == {}
    assert worn(page, GPU[1])["k8s_pod_name"] == "stray-0"


def test_the_series_of_an_ended_owner_are_ended_for_otlp(node, watch):
    receiver = HttpPeer()
    try:
        pod = Pod("train-0", gpus=[GPU[0]])
        node.run(pod)
        agent = watch(node, more=f"sinks:\n  otlp: {{endpoint: '{receiver.url}', protocol: http/json}}\n")

        def series():
            """Of the pod, each with its last value."""
            exports = [json.loads(request.body) for request in receiver.taken("/v1/metrics")]
            return {(p.name, p.attributes): p.value for export in exports
                    for p in otlp_points.points(export, with_ends=True) if ("k8s.pod.uid", pod.uid) in p.attributes}

        wanted = {"gpu.owner", "gpu.owner.energy", "gpu.power.draw", "gpu.memory.used"}
        wait_for("its series", lambda: wanted <= {name for (name, _), value in series().items() if value is not None},
                 interval=0.2)
        node.delete(pod)
        wait_for("the end of all of them", lambda: set(series().values()) == {None}, interval=0.2)
        agent.stop()
    finally:
        receiver.stop()


def test_the_series_of_an_ended_owner_are_stale_in_prometheus(node, watch, tmp_path):
    server = Prometheus(tmp_path / "prometheus")
    try:
        pod, other = Pod("train-0", gpus=[GPU[0]]), Pod("train-1", gpus=[GPU[1]])
        node.run(pod, other)
        watch(node, more=f"sinks:\n  remote_write: {{url: '{server.url}/api/v1/write'}}\n")
        its = f'{{k8s_pod_uid="{pod.uid}"}}'
        wait_for("its series", lambda: all(server.query(name + its) for name in ("gpu_owner_info", *GAUGES)),
                 interval=0.2)
        node.delete(pod)
        wait_for("none of it, at once and not after five minutes", lambda: not server.query(its), interval=0.2)
        assert server.query(f"last_over_time(gpu_owner_info{its}[5m])")
        assert server.query(f'gpu_owner_info{{k8s_pod_uid="{other.uid}"}}')
    finally:
        server.stop()
