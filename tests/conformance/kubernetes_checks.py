"""The checks against a real Kubernetes, each a function of a Bench; one that returns has passed."""
import json
import signal
import time
from pathlib import Path

import yaml

from conftest import ROOT, run, wait_for
from kubernetes_api import Client, Refused
from kubernetes_bench import GAUGES, held_by, holders, labels_of, owners, uid, uids, wait_uids, wait_worn
from kubernetes_node import (CLAIMED, GPUS, INSTANCES, MIG, SHARED, SLICES, SPLIT, WHOLE, claimed_pod, owned)
from kubernetes_peers import API_PORT, IMAGE, NODE

PODS = "/api/v1/pods"
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
MANIFEST = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "warpsight.yaml").read_text()))


def pods_have_their_gpus(bench):
    cluster = bench.cluster
    train = cluster.run_pod("train-0", {"worker": {GPUS: 2}, "logger": {}}, labels={"team": "vision"})
    infer = cluster.run_pod("infer-0", {"server": {GPUS: 1}}, namespace="team-b")
    held = holders(cluster)
    pods = {"train-0": train, "infer-0": infer}
    expected = {gpu: pods[held[gpu][1]] if gpu in held else None for gpu in WHOLE}
    assert {held.get(gpu) for gpu in WHOLE[:2]} != {("default", "train-0", "worker")}, "GPUs are handed out by number"
    agent = bench.agent()
    page = wait_uids(agent, expected)
    for gpu, (namespace, pod, container) in held.items():
        (owner,) = owners(page, gpu)
        expected = {"k8s_namespace_name": namespace, "k8s_pod_name": pod, "k8s_container_name": container,
                    "k8s_node_name": NODE, "owner_kind": "pod", "owner_evidence": "pod_resources"}
        assert expected.items() <= owner.items(), f"{gpu} has {owner}, not {expected}"
        wait_worn(agent, gpu)
    assert owners(page, held_by(held, "train-0"))[0]["k8s_pod_label_team"] == "vision"
    (free,) = set(WHOLE) - set(held)
    assert labels_of(page, GAUGES[0], free) == [{}], "a free GPU wears nothing"


def a_pod_that_comes_again_is_another(bench):
    cluster, agent = bench.cluster, bench.agent()
    old = cluster.run_pod("train-0", {"worker": {GPUS: 1}})
    (gpu,) = holders(cluster)
    wait_uids(agent, {gpu: old})
    cluster.delete_pod("train-0")
    new = cluster.run_pod("train-0", {"worker": {GPUS: 1}})
    (gpu,) = holders(cluster)
    assert uid(old) != uid(new)
    wait_uids(agent, {gpu: new})
    cluster.delete_pod("train-0")
    wait_uids(agent, {gpu: None})
    agent.wait_page("the accounts of both closed", lambda p: "k8s_pod_name" not in p.text)


def a_page_has_no_owner_twice_or_by_turns(bench):
    """A gauge may be away for the first publish of an owner: what was read before is not the owner's."""
    cluster, agent = bench.cluster, bench.agent()
    agent.wait_page("all GPUs", lambda p: len(p.gpus(GAUGES[0])) == len(WHOLE + CLAIMED) + 2)
    wrong = set()

    def seen(page):
        counts = {(metric, gpu): len(labels_of(page, metric, gpu)) for metric in GAUGES for gpu in WHOLE}
        wrong.update(f"{metric} of {gpu} stands {n} times" for (metric, gpu), n in counts.items() if n > 1)
        return page

    for _ in range(3):
        pod = cluster.run_pod("train-0", {"main": {GPUS: 1}})
        (gpu,) = holders(cluster)
        agent.wait_page("its owner", lambda p: uids(seen(p), gpu) == [uid(pod)])
        for _ in range(20):
            if uids(seen(agent.page()), gpu) != [uid(pod)]:
                wrong.add(f"the owner of {gpu} was told and then not")
            time.sleep(0.1)
        wait_worn(agent, gpu)
        cluster.delete_pod("train-0")
        agent.wait_page("no owner", lambda p: uids(seen(p), gpu) == [])
        agent.wait_page("the gauge without an owner", lambda p: labels_of(seen(p), GAUGES[0], gpu) == [{}])
    assert not wrong, "; ".join(sorted(wrong))


def workloads_are_named(bench):
    cluster = bench.cluster
    replicas = owned(cluster, "ReplicaSet", "infer-7d9c5b6f4", owned(cluster, "Deployment", "infer"))
    job = owned(cluster, "Job", "nightly-29384100", owned(cluster, "CronJob", "nightly"))
    ray = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "demo", "uid": uid(replicas)}}
    expected = {
        "infer-7d9c5b6f4-x2x9k": (replicas, {"k8s_replicaset_name": "infer-7d9c5b6f4", "k8s_deployment_name": "infer"}),
        "nightly-29384100-bq7wd": (job, {"k8s_job_name": "nightly-29384100", "k8s_cronjob_name": "nightly"}),
        "db-0": (owned(cluster, "StatefulSet", "db"), {"k8s_statefulset_name": "db"}),
        "demo-head": (ray, {"k8s_owner_kind": "RayCluster", "k8s_owner_name": "demo"}),
    }
    for name, (owner, _) in expected.items():
        cluster.run_pod(name, {"main": {GPUS: 1}}, owner=owner)
    gpus = {who[1]: gpu for gpu, who in holders(cluster).items()}

    def named(page):
        return all(labels.items() <= (owners(page, gpus[name]) or [{}])[0].items()
                   for name, (_, labels) in expected.items())

    agent = bench.agent()
    agent.wait_page("the workloads", named)
    for gpu in gpus.values():
        wait_worn(agent, gpu)


def an_ended_pod_owns_nothing(bench):
    """Whether the kubelet still lists it, as those before 1.34 do, or not."""
    cluster = bench.cluster
    for gate in (False, True):
        cluster.set_kubelet_features({"KubeletPodResourcesListUseActivePods": gate})
        lasting = cluster.run_pod("lasting", {"main": {GPUS: 1}})
        cluster.pod("ended", {"main": {"args": ["end", "0"], "resources": {"limits": {GPUS: 3}}}},
                    restartPolicy="Never")
        cluster.wait_phase("ended", "Succeeded")
        listed = ("default", "ended", "main") in cluster.pod_resources.given()
        assert listed != gate, f"with the gate at {gate}, the ended pod is listed: {listed}"
        agent = bench.agent()
        held = holders(cluster)
        wait_uids(agent, {gpu: lasting if gpu in held else None for gpu in WHOLE})
        cluster.pod("next", {"main": {GPUS: 3}})
        following = cluster.wait_phase("next", "Running")
        wait_uids(agent, {gpu: lasting if gpu in held else following for gpu in WHOLE})
        agent.close()
        cluster.clear()


def instances_have_owners_of_their_own(bench):
    cluster = bench.cluster
    pods = [cluster.run_pod(f"mig-{i}", {"main": {MIG: 1}}) for i in range(2)]
    instances = {who[1]: device for device, who in holders(cluster).items()}
    assert set(instances.values()) == set(INSTANCES)
    agent = bench.agent()
    page = agent.wait_page("an owner of each instance", lambda p: all(
        uids(p, SPLIT, instances[pod["metadata"]["name"]]) == [uid(pod)] for pod in pods))
    for instance in INSTANCES:
        wait_worn(agent, SPLIT, instance)
    assert labels_of(page, GAUGES[0], SPLIT) == [{}], "the GPU as a whole has two owners"


def a_shared_gpu_is_split_by_use(bench):
    cluster = bench.cluster
    pods = [cluster.run_pod(f"slice-{i}", {"main": {SLICES: 1}}) for i in range(2)]
    memory = [4096, 8192]  # MiB
    bench.processes.write_text("".join(f"4 {cluster.processes(pod)['main']} {size} 20\n"
                                       for pod, size in zip(pods, memory)))
    agent = bench.agent()
    page = agent.wait_page("both owners' memory", lambda p: all(
        p.value("gpu_owner_memory_used_bytes", gpu_uuid=SHARED, k8s_pod_uid=uid(pod)) == size << 20
        for pod, size in zip(pods, memory)))
    assert sorted(uids(page, SHARED)) == sorted(map(uid, pods))
    assert labels_of(page, GAUGES[0], SHARED) == [{}], "a GPU of two owners wears neither"


def claimed_devices_are_found(bench):
    agent = bench.agent()
    pod = claimed_pod(bench.cluster, "claimed-0", "train", "gpu-7")
    page = wait_uids(agent, {CLAIMED[1]: pod, CLAIMED[0]: None})
    assert owners(page, CLAIMED[1])[0]["owner_evidence"] == "dra"
    wait_worn(agent, CLAIMED[1])


def a_static_pod_has_the_kubelets_uid(bench):
    """Its copy in the API has another, which no control group knows."""
    cluster = bench.cluster
    (cluster.static_pods / "static.json").write_text(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "static", "namespace": "default"},
        "spec": {"hostNetwork": True, "terminationGracePeriodSeconds": 1, "containers": [
            {"name": "main", "image": IMAGE, "imagePullPolicy": "Never", "resources": {"limits": {GPUS: 1}}}]}}))
    copy = wait_for("the static pod", lambda: next(
        (pod for pod in cluster.api.get(PODS)["items"] if pod["status"].get("phase") == "Running"), None), interval=0.2)
    (gpu,) = holders(cluster)
    true_uid = copy["metadata"]["annotations"]["kubernetes.io/config.hash"]
    assert true_uid != uid(copy)
    bench.agent().wait_page("the static pod's own uid", lambda p: uids(p, gpu) == [true_uid])


def a_change_of_labels_is_watched(bench):
    cluster = bench.cluster
    pod = cluster.run_pod("train-0", {"main": {GPUS: 1}}, labels={"team": "red"})
    (gpu,) = holders(cluster)
    agent = bench.agent(metadata="api")
    wait_uids(agent, {gpu: pod})
    cluster.api.patch("/api/v1/namespaces/default/pods/train-0", {"metadata": {"labels": {"team": "blue"}}})
    agent.wait_page("the new label", lambda p: [o.get("k8s_pod_label_team") for o in owners(p, gpu)] == ["blue"])


def a_new_token_is_taken(bench):
    cluster = bench.cluster
    old, new = (cluster.token("warpsight", secret) for secret in ("first", "second"))
    bench.set_token(old)
    first = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent(metadata="api")
    wait_uids(agent, {gpu: first})
    cluster.revoke("first")
    cluster.api_server.restart()  # ends the watch, and forgets that the token was good
    wait_for("the old token to be refused", lambda: refusal(Client(API_PORT, cluster.authority, old)) == 401)
    wait_for("the agent to say so", lambda: agent.died() or "401" in told(agent), interval=0.2)
    bench.set_token(new)
    second = cluster.run_pod("train-1", {"main": {GPUS: 1}})
    other = held_by(holders(cluster), "train-1")
    page = wait_uids(agent, {gpu: first, other: second})
    for token in (old, new):
        assert token not in agent.logged() + json.dumps(agent.status()) + page.text, "a token was told"


def refusal(client):
    try:
        client.get(f"{PODS}?fieldSelector=spec.nodeName={NODE}")
        return None
    except Refused as refused:
        return refused.status


def told(agent):
    return agent.logged() + json.dumps(agent.status())


def a_forgotten_version_is_no_loss(bench):
    cluster = bench.cluster
    old = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent(metadata="api")
    wait_uids(agent, {gpu: old})
    version = cluster.api.get(PODS)["metadata"]["resourceVersion"]
    agent.process.send_signal(signal.SIGSTOP)
    cluster.delete_pod("train-0")
    new = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    cluster.api_server.stop()
    cluster.compact()
    cluster.api_server.start()
    (event,) = cluster.api.watch(PODS, resourceVersion=version, timeoutSeconds=5)
    assert json.loads(event)["object"]["code"] == 410, "the cluster is to have forgotten that version"
    agent.process.send_signal(signal.SIGCONT)
    wait_uids(agent, {gpu: new})
    cluster.delete_pod("train-0")
    wait_uids(agent, {gpu: None})


def an_api_server_may_be_away(bench):
    cluster = bench.cluster
    first = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent(metadata="api")
    wait_uids(agent, {gpu: first})
    cluster.api_server.stop()
    wait_publishes(agent, 3)
    assert uids(agent.page(), gpu) == [uid(first)], "what was known is still so"
    cluster.api_server.start()
    second = cluster.run_pod("train-1", {"main": {GPUS: 1}})
    wait_uids(agent, {gpu: first, held_by(holders(cluster), "train-1"): second})


def wait_publishes(agent, count):
    seen = set()
    wait_for(f"{count} publishes", lambda: seen.add(agent.status()["publish"]["time"]) or len(seen) > count,
             interval=0.1)


def a_kubelet_may_restart(bench):
    cluster = bench.cluster
    first = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent()
    wait_uids(agent, {gpu: first})
    cluster.kubelet.stop()
    wait_publishes(agent, 3)
    assert agent.page().value("gpu_power_draw_watts", gpu_uuid=gpu) is not None, "telemetry goes on"
    cluster.start_kubelet_again()
    second = cluster.run_pod("train-1", {"main": {GPUS: 1}})
    wait_uids(agent, {gpu: first, held_by(holders(cluster), "train-1"): second})


def without_rights_names_remain(bench):
    cluster = bench.cluster
    bench.set_token(cluster.token("nobody", "nobodys"))
    cluster.run_pod("train-0", {"worker": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent()
    page = agent.wait_page("the pod's name", lambda p: [o["k8s_pod_name"] for o in owners(p, gpu)] == ["train-0"])
    (owner,) = owners(page, gpu)
    assert (owner["k8s_namespace_name"], owner["k8s_container_name"]) == ("default", "worker")
    assert "k8s_pod_uid" not in owner
    wait_for("the agent to say what to grant", lambda: says_what_to_grant(told(agent)), interval=0.2)
    doctor = run("doctor", "--config", str(agent.config_path), check=False)
    assert says_what_to_grant(doctor.stdout + doctor.stderr), f"doctor says:\n{doctor.stdout}{doctor.stderr}"


def says_what_to_grant(text):
    return "grant" in text and "list" in text and "pods" in text


def without_the_api_the_kubelet_is_asked(bench):
    cluster = bench.cluster
    bench.set_token(cluster.token("kubelet-reader", "kubelet-readers"))
    pod = cluster.run_pod("train-0", {"worker": {GPUS: 1}}, labels={"team": "vision"})
    (gpu,) = holders(cluster)
    page = wait_uids(bench.agent(), {gpu: pod})
    assert owners(page, gpu)[0]["k8s_pod_label_team"] == "vision"


def in_a_pod_nothing_need_be_told(bench):
    cluster = bench.cluster
    ACCOUNT.mkdir(parents=True, exist_ok=True)
    (ACCOUNT / "token").write_text(cluster.token("warpsight", "in-a-pod"))
    (ACCOUNT / "ca.crt").write_text(Path(cluster.authority).read_text())
    pod = cluster.run_pod("train-0", {"main": {GPUS: 1}})
    (gpu,) = holders(cluster)
    agent = bench.agent(given=False, environment={
        "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(API_PORT), "NODE_NAME": NODE})
    wait_uids(agent, {gpu: pod})


def the_manifest_is_accepted(bench):
    groups = {"v1": "/api/v1", "apps/v1": "/apis/apps/v1",
              "rbac.authorization.k8s.io/v1": "/apis/rbac.authorization.k8s.io/v1"}
    bench.cluster.namespace("warpsight")
    for thing in MANIFEST:
        if thing["kind"] != "Namespace":
            within = thing["metadata"].get("namespace")
            path = f"{groups[thing['apiVersion']]}{f'/namespaces/{within}' if within else ''}/{thing['kind'].lower()}s"
            named = {**thing["metadata"], "name": f"{thing['metadata']['name']}-tried"}
            bench.cluster.api.post(f"{path}?dryRun=All&fieldValidation=Strict", {**thing, "metadata": named})


CHECKS = [the_manifest_is_accepted, pods_have_their_gpus, a_pod_that_comes_again_is_another,
          a_page_has_no_owner_twice_or_by_turns, workloads_are_named,
          instances_have_owners_of_their_own, a_shared_gpu_is_split_by_use, claimed_devices_are_found,
          a_static_pod_has_the_kubelets_uid, a_change_of_labels_is_watched, a_new_token_is_taken,
          a_forgotten_version_is_no_loss, an_api_server_may_be_away, a_kubelet_may_restart, an_ended_pod_owns_nothing,
          without_rights_names_remain, without_the_api_the_kubelet_is_asked, in_a_pod_nothing_need_be_told]
