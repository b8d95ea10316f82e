"""A thousand pods come and go."""
import threading
import time
from collections import namedtuple

from conftest import BINARY
from kubernetes_agent import ACCOUNTS, GAUGES, GPU, certificates, cluster, labels_of, node, wait_uids, watch
from kubernetes_pods import Pod


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
