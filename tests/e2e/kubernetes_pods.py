"""Pods, what owns them and what they claim: as the API server and the kubelet tell of them."""
import secrets
import uuid
from collections import Counter, namedtuple

GPU_RESOURCE = "nvidia.com/gpu"
BEGUN = "2026-11-15T02:24:12Z"

# `device` of `pool` as a DRA driver names it.
Claim = namedtuple("Claim", "name pool device driver", defaults=("gpu.nvidia.com",))
# An ownerReference.
Reference = namedtuple("Reference", "kind name api", defaults=("apps/v1",))


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def message(*fields):
    """A protobuf message of (number, value): a text, the bytes of a message, or a whole number."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


class Container:
    """`devices`: (resource, ids) as often as the kubelet says them, which is once for each NUMA node."""

    def __init__(self, name="main", devices=(), claims=()):
        self.name = name
        self.devices = list(devices)
        self.claims = list(claims)
        self.id = secrets.token_hex(32)

    def resources(self, namespace):
        return message(
            (1, self.name),
            *[(2, message((1, resource), *[(2, i) for i in ids], (3, message((1, message((1, numa)))))))
              for numa, (resource, ids) in enumerate(self.devices)],
            *[(5, message((2, claim.name), (3, namespace), (4, message(
                (1, message((1, f"k8s.{claim.driver}/claim={claim.name}-{claim.device}"))),
                (2, claim.driver), (3, claim.pool), (4, claim.device))))) for claim in self.claims])

    def limits(self):
        counted = Counter()
        for resource, ids in self.devices:
            counted[resource] += len(ids)
        return {resource: str(count) for resource, count in counted.items()}


class Pod:
    """`gpus`: ids for one container "main", where no containers are given."""

    def __init__(self, name, *containers, gpus=(), namespace="default", labels=None, owner=None, node="node0"):
        self.name = name
        self.namespace = namespace
        self.containers = list(containers) or [Container(devices=[(GPU_RESOURCE, list(gpus))] if gpus else [])]
        self.labels = labels or {}
        self.owner = owner
        self.node = node
        self.uid = str(uuid.uuid4())
        self.phase = "Running"

    @property
    def key(self):
        return self.namespace, self.name

    def again(self):
        """The same pod, deleted and created anew."""
        return Pod(self.name, *[Container(c.name, c.devices, c.claims) for c in self.containers],
                   namespace=self.namespace, labels=self.labels, owner=self.owner, node=self.node)

    def device_ids(self):
        return [i for c in self.containers for _, ids in c.devices for i in ids]

    def resources(self):
        return message((1, self.name), (2, self.namespace),
                       *[(3, c.resources(self.namespace)) for c in self.containers])

    def metadata(self):
        data = {"name": self.name, "namespace": self.namespace, "uid": self.uid, "creationTimestamp": BEGUN,
                "labels": self.labels, "annotations": {"kubernetes.io/config.source": "api"}}
        if self.owner:
            data["ownerReferences"] = references(self.owner)
        return data

    def container_status(self, container):
        ended = self.phase in ("Succeeded", "Failed")
        state = ({"terminated": {"exitCode": int(self.phase == "Failed"), "reason": "Completed",
                                 "startedAt": BEGUN, "finishedAt": BEGUN}} if ended
                 else {"running": {"startedAt": BEGUN}})
        return {"name": container.name, "containerID": f"containerd://{container.id}", "ready": not ended,
                "started": not ended, "restartCount": 0, "state": state, "lastState": {},
                "image": "registry.example/train:1", "imageID": f"sha256:{'2c' * 32}"}

    def json(self):
        ready = "False" if self.phase in ("Succeeded", "Failed") else "True"
        return {
            "metadata": self.metadata(),
            "spec": {
                "nodeName": self.node, "restartPolicy": "Always", "serviceAccountName": "default",
                "containers": [{"name": c.name, "image": "registry.example/train:1", "imagePullPolicy": "Always",
                                "resources": {"limits": c.limits(), "requests": c.limits()},
                                "terminationMessagePath": "/dev/termination-log"} for c in self.containers],
                "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                                 "effect": "NoExecute", "tolerationSeconds": 300}]},
            "status": {
                "phase": self.phase, "hostIP": "192.0.2.2", "podIP": "198.51.100.7", "startTime": BEGUN,
                "qosClass": "BestEffort",
                "conditions": [{"type": kind, "status": ready, "lastProbeTime": None, "lastTransitionTime": BEGUN}
                               for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")],
                "containerStatuses": [self.container_status(c) for c in self.containers]}}


def uid_of(name):
    """The same for whoever refers to what has that name."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def references(owner):
    return [{"apiVersion": owner.api, "kind": owner.kind, "name": owner.name, "uid": uid_of(owner.name),
             "controller": True, "blockOwnerDeletion": True}]


def owned(name, namespace="default", owner=None):
    """A ReplicaSet, a Job or what else stands between a pod and the one who asked for it."""
    metadata = {"name": name, "namespace": namespace, "uid": uid_of(name), "creationTimestamp": BEGUN}
    if owner:
        metadata["ownerReferences"] = references(owner)
    return {"metadata": metadata, "spec": {}, "status": {}}


def resource_slice(devices, node="node0", driver="gpu.nvidia.com", version="v1"):
    """`devices`: name → attributes, texts all of them."""
    def shape(attributes):
        body = {"attributes": {k: {"string": v} for k, v in attributes.items()},
                "capacity": {"memory": {"value": "24Gi"}}}
        return {"basic": body} if version == "v1beta1" else body
    return {"metadata": {"name": f"{node}-{driver}-x7x2k", "uid": str(uuid.uuid4()), "creationTimestamp": BEGUN},
            "spec": {"driver": driver, "nodeName": node,
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                     "devices": [{"name": name, **shape(attributes)} for name, attributes in devices.items()]}}
