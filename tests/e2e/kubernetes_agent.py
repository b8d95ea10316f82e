"""The agent on a Kubernetes node, and what its page says of owners."""
import pytest

from conftest import wait_for
from kubernetes_node import Node
from kubernetes_pods import GPU_RESOURCE
from peers import Certificates

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
