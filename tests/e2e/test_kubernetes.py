"""Whose GPUs they are, on a node of Kubernetes."""
import json
import time

import pytest

import otlp_points
from conftest import wait_for
from kubernetes_agent import (COUNTERS, GAUGES, GIB, GPU, MIG, MIG_GPU, certificates, cluster, labels_of, node,
                              owners, pods, told, wait_pods, wait_publishes, wait_uid, wait_uids, watch, worn)
from kubernetes_node import Processes
from kubernetes_pods import GPU_RESOURCE, Claim, Container, Pod, Reference, owned, resource_slice
from peers import HttpPeer, Prometheus


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
