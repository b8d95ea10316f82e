"""What the checks against a real Kubernetes work with: agents, and what their pages say of owners."""
from conftest import Agent
from kubernetes_node import SCENARIO
from kubernetes_peers import API_PORT, KUBELET_PORT, NODE

GAUGES = ("gpu_memory_used_bytes", "gpu_power_draw_watts")


class Bench:
    """What a check works with; what it made is gone after it."""

    def __init__(self, cluster, directory):
        self.cluster, self.directory = cluster, directory
        self.agents = []
        self.token_file = directory / "token"
        self.scenario = directory / "scenario.yaml"
        self.processes = directory / "processes"

    def set_token(self, token):
        fresh = self.token_file.with_suffix(".new")
        fresh.write_text(token)
        fresh.chmod(0o600)
        fresh.rename(self.token_file)

    def config(self, metadata="auto", given=True):
        """`given`: else everything is to be found as it is in a pod."""
        told = f"""
    node_name: {NODE}
    api: https://127.0.0.1:{API_PORT}
    token_file: {self.token_file}
    ca_file: {self.cluster.authority}
    kubelet: https://127.0.0.1:{KUBELET_PORT}
    metadata: {metadata}""" if given else ""
        return f"""
publish_interval: 1s
sources:
  nvml: {{period: 500ms}}
  host: false
  kmsg: false
  pci: false
  processes: {{enabled: true}}  # the pods' are real ones, though the GPUs are not
  kubernetes:
    enabled: true
    poll: 1s
    pod_labels: [team]{told}
"""

    def agent(self, metadata="auto", given=True, environment=None):
        self.processes.touch()
        self.scenario.write_text(f"{SCENARIO}processes_from: {self.processes}\n")
        place = self.directory / f"agent-{len(self.agents)}"
        (place / "state").mkdir(parents=True)
        self.agents.append(Agent(place, ["--simulate", str(self.scenario)], self.config(metadata, given), environment))
        return self.agents[-1]

    def close(self):
        for agent in self.agents:
            agent.close()
        self.cluster.clear()

    def logged(self):
        return "".join(agent.logged()[-2000:] for agent in self.agents)


def labels_of(page, metric, gpu, mig=None):
    """Of each series that a GPU, or an instance of it, has of a metric: what it says of an owner."""
    return [{key: value for key, value in labels.items() if key.startswith(("k8s_", "owner_"))}
            for name, labels, _ in page.samples
            if name == metric and labels.get("gpu_uuid") == gpu and labels.get("gpu_mig_uuid") == mig]


def owners(page, gpu, mig=None):
    return labels_of(page, "gpu_owner_info", gpu, mig)


def uids(page, gpu, mig=None):
    return [owner.get("k8s_pod_uid") for owner in owners(page, gpu, mig)]


def uid(pod):
    return pod["metadata"]["uid"]


def wait_uids(agent, expected):
    """A page on which exactly these pods own these GPUs: {GPU: pod or None}."""
    return agent.wait_page(f"owners as in { {gpu: pod and pod['metadata']['name'] for gpu, pod in expected.items()} }",
                           lambda p: all(uids(p, gpu) == ([uid(pod)] if pod else []) for gpu, pod in expected.items()))


def holders(cluster):
    """{device id: (namespace, pod, container)}, as the kubelet itself says."""
    return {device: who for who, devices in cluster.pod_resources.given().items() for device in devices}


def held_by(held, pod):
    return next(gpu for gpu, who in held.items() if who[1] == pod)


def wait_worn(agent, gpu, mig=None):
    """Until the GPU's gauges say what the info metric says of its one owner."""
    def worn(page):
        found = owners(page, gpu, mig)
        return len(found) == 1 and all(labels_of(page, metric, gpu, mig) == found
                                       for metric in (GAUGES if mig is None else GAUGES[:1]))
    agent.wait_page(f"the owner of {mig or gpu} on its gauges", worn)
