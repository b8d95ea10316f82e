"""Writes down what a real cluster answers, as data for tests: kubernetes.py --record FOLDER."""
import contextlib
import json
import re
import threading
import time
from pathlib import Path

import kubernetes_api
from kubernetes_api import Client, Refused
from kubernetes_node import GPUS, MIG, SLICES, claimed_pod, owned, publish_slice
from kubernetes_peers import API_PORT, IMAGE, KUBELET, NODE, Cluster
from peers import wait_for

PODS = "/api/v1/pods"
HERE = {"fieldSelector": f"spec.nodeName={NODE}"}
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"


def workloads(cluster):
    """Pods of every sort that a GPU node sees; {name: pod} of those that run."""
    running = {}

    def start(name, containers, namespace="team-a", **more):
        running[name] = cluster.run_pod(name, containers, namespace=namespace, **more)

    for namespace in ("team-a", "team-b"):
        cluster.namespace(namespace)
    sized = {"cpu": "100m", "memory": "64Mi"}
    start("train-0", {"worker": {GPUS: 2}, "logger": {}},
          labels={"app": "train", "team": "vision", "app.kubernetes.io/part-of": "perception"})
    deployment = owned(cluster, "Deployment", "infer", namespace="team-b")
    replicas = owned(cluster, "ReplicaSet", "infer-7d9c5b6f4", deployment, namespace="team-b")
    start("infer-7d9c5b6f4-x2x9k", {"server": {"resources": {"limits": {GPUS: 1, **sized}}}}, namespace="team-b",
          owner=replicas, labels={"app": "infer", "pod-template-hash": "7d9c5b6f4"})
    nightly = owned(cluster, "CronJob", "nightly")
    job = owned(cluster, "Job", "nightly-29384100", nightly)
    cluster.pod("nightly-29384100-bq7wd", {"main": {"args": ["end", "0"], "resources": {"limits": {GPUS: 1}}}},
                owner=job, restartPolicy="Never", labels={"batch.kubernetes.io/job-name": "nightly-29384100"})
    cluster.wait_phase("nightly-29384100-bq7wd", "Succeeded")
    cluster.pod("crashed", {"main": {"args": ["end", "3"], "resources": {"limits": {GPUS: 1}}}}, restartPolicy="Never")
    cluster.wait_phase("crashed", "Failed")
    cluster.pod("greedy", {"main": {GPUS: 4}})
    cluster.wait_phase("greedy", "Failed")
    start("slice-a", {"main": {SLICES: 1}})
    start("slice-b", {"main": {SLICES: 1}}, namespace="team-b")
    start("mig-0", {"main": {"resources": {"limits": {MIG: 1}, "requests": sized}}})
    start("sidecar-0", {"main": {}}, initContainers=[
        {"name": "prepare", "image": IMAGE, "imagePullPolicy": "Never", "args": ["end", "0"]},
        {"name": "helper", "image": IMAGE, "imagePullPolicy": "Never", "restartPolicy": "Always",
         "resources": {"limits": {GPUS: 1}}}])
    ray = {"apiVersion": "ray.io/v1", "kind": "RayCluster",
           "metadata": {"name": "raycluster-demo", "uid": "0b6c1d2e-7a44-4c55-9f11-2f5d8c9a1b30"}}
    start("raycluster-demo-head-9k2lm", {"ray-head": {MIG: 1}}, owner=ray)
    publish_slice(cluster)
    running["claimed-0"] = claimed_pod(cluster, "claimed-0", "train", "gpu-6", namespace="team-a")
    (cluster.static_pods / "static.json").write_text(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "static", "namespace": "kube-system"},
        "spec": {"hostNetwork": True, "containers": [
            {"name": "main", "image": IMAGE, "imagePullPolicy": "Never"}]}}))
    running["static"] = wait_for("the static pod", lambda: static_pod(cluster), interval=0.2)
    return running


def static_pod(cluster):
    """As the kubelet knows it: the one in the API is its mirror, with another UID."""
    found = [pod for pod in cluster.kubelet_client().get("/pods")["items"]
             if pod["metadata"]["name"] == f"static-{NODE}" and pod["status"].get("phase") == "Running"]
    return found[0] if found else None


def save(folder, name, content):
    if not isinstance(content, (str, bytes)):
        content = json.dumps(content, indent=1) + "\n"
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    print(f"wrote {name} ({path.stat().st_size} bytes)", flush=True)


def ask(cluster, folder, name, method, request=b"", version="v1"):
    import grpc
    try:
        answer = cluster.pod_resources.raw(method, request, version)
    except grpc.RpcError as error:
        save(folder, f"{name}.txt", f"grpc-status {error.code().value[0]} ({error.code().name})\n"
                                    f"grpc-message {error.details()}\n")
        return
    save(folder, f"{name}.bin", answer)
    save(folder, f"{name}.hex", answer.hex() + "\n")
    read = kubernetes_api.devices if method.startswith("GetA") else kubernetes_api.pod
    save(folder, f"{name}.json", kubernetes_api.some(answer, 1, read))


def pod_resources(cluster, folder):
    ask(cluster, folder, "podresources_list", "List")
    ask(cluster, folder, "podresources_list_v1alpha1", "List", version="v1alpha1")
    ask(cluster, folder, "podresources_allocatable", "GetAllocatableResources")
    ask(cluster, folder, "podresources_get", "Get", named("claimed-0", "team-a"))
    ask(cluster, folder, "podresources_get_ended", "Get", named("nightly-29384100-bq7wd", "default"))
    ask(cluster, folder, "podresources_get_unknown", "Get", named("nobody", "default"))
    ask(cluster, folder, "podresources_unknown_method", "Frobnicate")


def named(pod, namespace):
    """The request for one pod."""
    return b"".join(bytes([number << 3 | 2, len(value)]) + value.encode()
                    for number, value in ((1, pod), (2, namespace)))


def query(path, **parameters):
    return path + "?" + "&".join(f"{key}={value}" for key, value in parameters.items())


def objects(cluster, folder):
    api = cluster.api
    save(folder, "api_version.json", api.get("/version"))
    save(folder, "api_pods.json", api.text("GET", query(PODS, **HERE)))
    save(folder, "api_pods_page1.json", api.text("GET", query(PODS, limit=2, **HERE)))
    save(folder, "api_node.json", api.text("GET", f"/api/v1/nodes/{NODE}"))
    save(folder, "api_replicasets.json", api.text("GET", "/apis/apps/v1/namespaces/team-b/replicasets"))
    save(folder, "api_replicaset.json",
         api.text("GET", "/apis/apps/v1/namespaces/team-b/replicasets/infer-7d9c5b6f4"))
    save(folder, "api_job.json", api.text("GET", "/apis/batch/v1/namespaces/default/jobs/nightly-29384100"))
    for version in ("v1", "v1beta1"):
        save(folder, f"api_resourceslices_{version}.json", api.text("GET", query(
            f"/apis/resource.k8s.io/{version}/resourceslices", fieldSelector=f"spec.nodeName={NODE}")))
        save(folder, f"api_resourceclaims_{version}.json",
             api.text("GET", f"/apis/resource.k8s.io/{version}/namespaces/team-a/resourceclaims"))
    for name, path in (("pods", query(PODS, **HERE)), ("replicasets", "/apis/apps/v1/replicasets")):
        save(folder, f"api_{name}_metadata_only.json", api.open("GET", path, accept=METADATA).read())
    kubelet = cluster.kubelet_client()
    save(folder, "kubelet_pods.json", kubelet.text("GET", "/pods"))
    save(folder, "kubelet_metrics_resource.txt", kubelet.text("GET", "/metrics/resource"))
    save(folder, "kubelet_internal_checkpoint", (KUBELET / "device-plugins/kubelet_internal_checkpoint").read_bytes())


def processes(cluster, running, folder):
    said = []
    for pod in running.values():
        identity = pod["metadata"]
        names = {s["containerID"].split("//")[1]: s["name"] for key in ("containerStatuses", "initContainerStatuses")
                 for s in pod["status"].get(key, []) if "containerID" in s}
        for path in sorted(Path("/proc").glob("[0-9]*/cgroup"), key=lambda p: int(p.parent.name)):
            with contextlib.suppress(OSError):
                groups = path.read_text()
                found = re.search(rf"pod{identity['uid']}/([0-9a-f]{{64}})", groups)
                if found:
                    environment = [v for v in (path.parent / "environ").read_text().split("\0") if "NVIDIA" in v]
                    said += [f"## {identity['namespace']}/{identity['name']} uid {identity['uid']} "
                             f"container {names.get(found[1], '(sandbox)')} qos {pod['status']['qosClass']} "
                             f"command {(path.parent / 'cmdline').read_text().replace(chr(0), ' ').strip()}",
                             groups.rstrip(), *environment]
    save(folder, "proc_cgroup.txt", "\n".join(said) + "\n")


def watches(cluster, folder):
    api = cluster.api
    start = api.get(query(PODS, **HERE))["metadata"]["resourceVersion"]
    lines = []

    def follow():
        lines.extend(api.watch(PODS, resourceVersion=start, allowWatchBookmarks="true", timeoutSeconds=12, **HERE))

    thread = threading.Thread(target=follow)
    thread.start()
    cluster.run_pod("watched-0", {"main": {}})
    cluster.delete_pod("watched-0")
    thread.join()
    save(folder, "watch_pods.jsonl", "\n".join(lines) + "\n")
    lines = list(api.watch(PODS, sendInitialEvents="true", resourceVersionMatch="NotOlderThan",
                           allowWatchBookmarks="true", timeoutSeconds=3, **HERE))
    save(folder, "watch_pods_initial_events.jsonl", "\n".join(lines) + "\n")
    cluster.run_pod("later-0", {"main": {}})
    cluster.api_server.stop()
    cluster.compact()
    cluster.api_server.start()
    said = []
    for version in ("1", start):
        try:
            said += [*api.watch(PODS, resourceVersion=version, allowWatchBookmarks="true", timeoutSeconds=3, **HERE)]
        except Refused as refused:
            said.append(f"HTTP {refused.status} {refused.body}")
    save(folder, "watch_410.jsonl", "\n".join(said) + "\n")
    try:
        list_page_after_compaction(cluster)
    except Refused as refused:
        save(folder, "list_continue_410.json", refused.body)


def list_page_after_compaction(cluster):
    page = cluster.api.get(query(PODS, limit=2, **HERE))
    cluster.pod("after-0", {"main": {}})
    cluster.api_server.stop()
    cluster.compact()
    cluster.api_server.start()
    cluster.api.get(query(PODS, limit=2, **HERE, **{"continue": page["metadata"]["continue"]}))


def refusals(cluster, folder):
    cluster.api.post("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "nobody"}})
    token = cluster.api.post("/api/v1/namespaces/default/serviceaccounts/nobody/token",
                             {"spec": {"expirationSeconds": 600}})["status"]["token"]
    said = {}
    for what, port, token_used, path in (
            ("api_403_pods", API_PORT, token, query(PODS, **HERE)),
            ("api_403_replicaset", API_PORT, token, "/apis/apps/v1/namespaces/team-b/replicasets/infer-7d9c5b6f4"),
            ("api_403_resourceslices", API_PORT, token, "/apis/resource.k8s.io/v1/resourceslices"),
            ("api_401", API_PORT, "wrong", query(PODS, **HERE)),
            ("api_404_group", API_PORT, cluster.admin_token, "/apis/resource.k8s.io/v1alpha3/resourceslices"),
            ("kubelet_403", cluster.kubelet_client().port, token, "/pods"),
            ("kubelet_401", cluster.kubelet_client().port, "wrong", "/pods")):
        response = Client(port, cluster.authority, token_used).open("GET", path)
        said[what] = {"request": f"GET {path}", "status": response.status, "headers": dict(response.getheaders()),
                      "body": response.read().decode()}
    save(folder, "refusals.json", said)


def record(cluster: Cluster, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    running = workloads(cluster)
    print(f"workloads run after {time.monotonic() - began:.1f} s", flush=True)
    wait_for("the kubelet to have freed what ended", lambda: ("default", "crashed", "main")
             not in cluster.pod_resources.given(), interval=0.2)
    pod_resources(cluster, folder)
    objects(cluster, folder)
    processes(cluster, running, folder)
    refusals(cluster, folder)
    watches(cluster, folder)
    older_kubelet(cluster, folder)


def older_kubelet(cluster, folder):
    """As kubelets before 1.34 answer: ended pods are listed, and there is no Get."""
    cluster.set_kubelet_features({"KubeletPodResourcesListUseActivePods": False, "KubeletPodResourcesGet": False,
                                  "KubeletPodResourcesDynamicResources": False})
    wait_for("the kubelet to list ended pods", lambda: ("default", "crashed", "main")
             in cluster.pod_resources.given(), interval=0.2)
    ask(cluster, folder, "older_podresources_list", "List")
    ask(cluster, folder, "older_podresources_get", "Get", named("train-0", "team-a"))
