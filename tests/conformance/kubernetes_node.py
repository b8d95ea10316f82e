"""The node of the checks: the same GPUs for the simulated driver, the device plugin and the DRA driver."""
from kubernetes_peers import NODE, reference

DRA_DRIVER = "gpu.nvidia.com"


def gpu(index):
    return f"GPU-7f2a9c14-3b5e-4d60-8a71-0c9e5d24{index:04x}"


WHOLE = [gpu(i) for i in range(4)]
SHARED = gpu(4)
SPLIT = gpu(5)
CLAIMED = [gpu(6), gpu(7)]
INSTANCES = [f"MIG-{i}b4e6f02-91cd-5a37-b8e1-62d0f7a35c4{i}" for i in (1, 2)]

SCENARIO = f"""
gpus:
  - {{count: 5, model: h100, uuid: "GPU-7f2a9c14-3b5e-4d60-8a71-0c9e5d24{{hex}}", load: 0.5}}
  - model: h100
    uuid: {SPLIT}
    mig:
      - {{profile: 1g.10gb, uuid: {INSTANCES[0]}}}
      - {{profile: 1g.10gb, uuid: {INSTANCES[1]}}}
  - {{count: 2, model: h100, uuid: "GPU-7f2a9c14-3b5e-4d60-8a71-0c9e5d24{{hex}}", load: 0.5}}
"""

# In the order they are handed out, which is not that of the GPUs' indices.
GPUS, SLICES, MIG = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"
DEVICES = {
    GPUS: [WHOLE[2], WHOLE[0], WHOLE[3], WHOLE[1]],
    SLICES: [f"{SHARED}::1", f"{SHARED}::0"],
    MIG: [INSTANCES[1], INSTANCES[0]],
}


def publish_slice(cluster):
    """What the DRA driver has, as a driver would say it."""
    node = cluster.api.get(f"/api/v1/nodes/{NODE}")
    cluster.api.post("/apis/resource.k8s.io/v1/deviceclasses", {
        "metadata": {"name": DRA_DRIVER},
        "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRA_DRIVER}'"}}]}})
    return cluster.api.post("/apis/resource.k8s.io/v1/resourceslices", {
        "metadata": {"name": f"{NODE}-{DRA_DRIVER}-1", "ownerReferences": [reference(node)]},
        "spec": {"driver": DRA_DRIVER, "nodeName": NODE,
                 "pool": {"name": NODE, "generation": 1, "resourceSliceCount": 1},
                 "devices": [slice_device(6 + i, uuid) for i, uuid in enumerate(CLAIMED)]}})


def slice_device(index, uuid):
    return {"name": f"gpu-{index}",
            "attributes": {"type": {"string": "gpu"}, "uuid": {"string": uuid}, "index": {"int": index},
                           "productName": {"string": "NVIDIA H100 80GB HBM3"}, "architecture": {"string": "Hopper"},
                           "cudaComputeCapability": {"version": "9.0.0"}, "driverVersion": {"version": "570.172.8"}},
            "capacity": {"memory": {"value": "81559Mi"}}}


def claimed_pod(cluster, name, claim, device, namespace="default"):
    """A pod with a device that a scheduler would have given to its claim; it runs."""
    claim = f"{claim}.{device}"  # what the fake driver goes by
    claims = f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims"
    made = cluster.api.post(claims, {
        "metadata": {"name": claim},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRA_DRIVER}}]}}})
    pod = cluster.pod(name, {"worker": {"resources": {"claims": [{"name": "gpu"}]}}}, namespace=namespace,
                      nodeName=None, resourceClaims=[{"name": "gpu", "resourceClaimName": claim}])
    given = {"request": "gpu", "driver": DRA_DRIVER, "pool": NODE, "device": device}
    made["status"] = {
        "allocation": {"devices": {"results": [given]}},
        "reservedFor": [{"resource": "pods", "name": name, "uid": pod["metadata"]["uid"]}]}
    cluster.api.put(f"{claims}/{claim}/status", made)
    cluster.api.post(f"/api/v1/namespaces/{namespace}/pods/{name}/binding", {
        "metadata": {"name": name}, "target": {"kind": "Node", "name": NODE}})
    return cluster.wait_phase(name, "Running", namespace)


def template(labels):
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "main"}]}}


def owned(cluster, kind, name, owner=None, namespace="default"):
    """A workload's object as its controller would have made it; there is none here."""
    labels = {"app": name}
    paths = {"Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps", "DaemonSet": "apps",
             "Job": "batch", "CronJob": "batch"}
    template_of_job = {"spec": {**template({})["spec"], "restartPolicy": "Never"}}
    spec = {
        "Job": {"template": template_of_job},
        "CronJob": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template_of_job}}},
        "StatefulSet": {"selector": {"matchLabels": labels}, "template": template(labels), "serviceName": name},
    }.get(kind, {"selector": {"matchLabels": labels}, "template": template(labels)})
    group = f"{paths[kind]}/v1"
    made = cluster.api.post(f"/apis/{group}/namespaces/{namespace}/{kind.lower()}s", {
        "metadata": {"name": name, "labels": labels, "ownerReferences": [reference(owner)] if owner else []},
        "spec": spec})
    return {"apiVersion": group, "kind": kind, **made}
