"""A Kubernetes node as the agent sees it: the kubelet's pod-resources socket and its /pods, the API
server, and the processes of containers."""
import base64
import contextlib
import http.server
import json
import os
import re
import secrets
import shutil
import socket
import tempfile
import threading
import time
import urllib.parse
import uuid
from collections import Counter, deque, namedtuple
from concurrent import futures
from pathlib import Path

GPU_RESOURCE = "nvidia.com/gpu"
WORKERS = 32  # requests that one server answers at a time
KEPT = 20_000  # of what was asked and answered
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


class PodResources:
    """The kubelet's pod-resources service, v1, on a unix socket.

    Set to make it misbehave: `hung`, `delay` (seconds), `error` (a code's name and words), `garbage`
    (bytes in place of every answer), `get` ("on", "disabled", "unimplemented")."""

    def __init__(self, path):
        self.path = str(path)
        self.pods = {}
        self.allocatable = {}  # resource → ids
        self.lock = threading.Lock()
        self.calls = Counter()
        self.listed_at = deque(maxlen=KEPT)  # when each List was answered
        self.hung, self.delay, self.error, self.garbage, self.get = False, 0, None, None, "on"
        self.server = self.plain = None
        self.start()

    def start(self):
        import grpc

        peer = self

        class Handler(grpc.GenericRpcHandler):
            def service(self, details):
                prefix, _, method = details.method.rpartition("/")
                known = {"List", "GetAllocatableResources"} | ({"Get"} if peer.get != "unimplemented" else set())
                if prefix != "/v1.PodResourcesLister" or method not in known:
                    peer.calls[method] += 1
                    return None
                return grpc.unary_unary_rpc_method_handler(
                    lambda body, context: peer.answer(method, body, context))

        self.server = grpc.server(futures.ThreadPoolExecutor(WORKERS))
        self.server.add_generic_rpc_handlers((Handler(),))
        assert self.server.add_insecure_port(f"unix:{self.path}")
        self.server.start()

    def answer(self, method, body, context):
        import grpc

        with self.lock:
            self.calls[method] += 1
        while self.hung and context.is_active():
            time.sleep(0.02)
        time.sleep(self.delay)
        if self.error:
            context.abort(getattr(grpc.StatusCode, self.error[0]), self.error[1])
        if self.garbage is not None:
            return self.garbage
        with self.lock:
            if method == "List":
                self.listed_at.append(time.monotonic())
                return message(*[(1, pod.resources()) for pod in self.pods.values()])
            if method == "GetAllocatableResources":
                return message(*[(1, message((1, resource), *[(2, i) for i in ids]))
                                 for resource, ids in self.allocatable.items()])
        return self.get_one(body, context)

    def get_one(self, body, context):
        import grpc

        if self.get == "disabled":
            context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")
        with self.lock:
            for pod in self.pods.values():
                if message((1, pod.name), (2, pod.namespace)) == body:
                    return message((1, pod.resources()))
        context.abort(grpc.StatusCode.UNKNOWN, "pod not found")

    def add(self, *pods):
        with self.lock:
            self.pods.update((pod.key, pod) for pod in pods)

    def remove(self, *pods):
        with self.lock:
            for pod in pods:
                self.pods.pop(pod.key, None)

    def freeze(self):
        """As a stopped kubelet: whoever connects waits."""
        self.stop()
        self.listen()

    def babble(self, words):
        """Something on the socket that does not speak gRPC."""
        self.freeze()
        listener = self.plain

        def talk():
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = listener.accept()
                    with peer, contextlib.suppress(OSError):
                        peer.sendall(words)
        threading.Thread(target=talk, daemon=True).start()

    def listen(self):
        self.plain = socket.socket(socket.AF_UNIX)
        self.plain.bind(self.path)
        self.plain.listen(WORKERS)

    def restart(self):
        self.stop()
        self.start()

    def stop(self):
        if self.server:
            self.server.stop(0).wait()
            self.server = None
        if self.plain:
            with contextlib.suppress(OSError):
                self.plain.shutdown(socket.SHUT_RDWR)
            self.plain.close()
            self.plain = None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


def failure(code, reason, words):
    """The answer of an API server that does not do what it was asked."""
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": words,
                  "reason": reason, "code": code}


class JsonServer:
    """GET alone, with a bearer token: `reply(path, query, handler)` gives (status, object), or None
    when it has answered by itself. `hung`: nobody is answered."""

    def __init__(self, tls=None, tokens=None):
        self.tls = tls
        self.tokens = tokens
        self.hung = False
        self.closed = False
        self.asked = deque(maxlen=KEPT)  # (path, query, status)
        self.connections = set()
        self.free = threading.BoundedSemaphore(WORKERS)
        self.port = 0
        self.start()

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def start(self):
        peer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer in one piece
            disable_nagle_algorithm = True

            def setup(self):
                super().setup()
                peer.connections.add(self.connection)

            def finish(self):
                peer.connections.discard(self.connection)
                super().finish()

            def do_GET(self):
                if not peer.free.acquire(blocking=False):
                    return self.send(*failure(429, "TooManyRequests", "too many requests"))
                try:
                    return peer.handle(self)
                finally:
                    peer.free.release()

            def send(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = WORKERS

            def handle_error(self, *_):
                pass

        self.closed = False
        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        if self.tls:
            # The handshake is left to the connection's own thread.
            self.server.socket = self.tls.wrap_socket(self.server.socket, server_side=True,
                                                      do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def handle(self, handler):
        path, _, query = handler.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        while self.hung and not self.closed:
            time.sleep(0.02)
        if self.closed:
            handler.close_connection = True
            return
        answer = self.refusal(handler.headers.get("Authorization", "")) or self.reply(path, query, handler)
        if answer:
            self.asked.append((path, query, answer[0]))
            handler.send(*answer)

    def refusal(self, authorization):
        if self.tokens is None or authorization.removeprefix("Bearer ") in self.tokens:
            return None
        return failure(401, "Unauthorized", "Unauthorized")

    def statuses(self, path=None):
        return [status for asked, _, status in list(self.asked) if path in (None, asked)]

    def restart(self):
        self.stop()
        self.start()

    def stop(self):
        self.closed = True
        self.server.shutdown()
        self.server.server_close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


class KubeletPods(JsonServer):
    """The kubelet's own page of its pods; `forbidden` turns everybody away."""

    def __init__(self, **more):
        self.pods = {}
        self.forbidden = False
        super().__init__(**more)

    def reply(self, path, query, handler):
        if self.forbidden:
            return failure(403, "Forbidden", "Forbidden (user=warpsight, verb=get, resource=nodes, subresource=proxy)")
        if path != "/pods":
            return failure(404, "NotFound", "404 page not found")
        return 200, {"kind": "PodList", "apiVersion": "v1", "metadata": {},
                     "items": [pod.json() for pod in list(self.pods.values())]}


OBJECT_PATH = re.compile(r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?")
KINDS = {"pods": ("/api/v1", "Pod"), "nodes": ("/api/v1", "Node"), "replicasets": ("/apis/apps/v1", "ReplicaSet"),
         "jobs": ("/apis/batch/v1", "Job"), "resourceslices": ("/apis/resource.k8s.io/", "ResourceSlice")}
Change = namedtuple("Change", "version resource type object line")


class ApiServer(JsonServer):
    """Get, list and watch of what is put in.

    `forbidden`: resources nobody may see; `page_size`: no list is longer; `gone_by`: how a version that
    is too old is answered, "http" or "event"; `slices`: the one version of resource.k8s.io there is."""

    def __init__(self, slices="v1", **more):
        self.objects = {resource: {} for resource in KINDS}
        self.changed = threading.Condition()
        self.log = deque(maxlen=4096)
        self.version = 100
        self.oldest = 0  # versions before it are forgotten
        self.rests = {}  # continue token → (version, the items left)
        self.drops = 0
        self.torn = False
        self.forbidden = set()
        self.page_size = None
        self.gone_by = "http"
        self.slices = slices
        self.bookmark_every = 1.0
        super().__init__(**more)

    def group(self, resource):
        prefix, _ = KINDS[resource]
        return prefix + self.slices if resource == "resourceslices" else prefix

    def typed(self, resource, thing):
        return {"kind": KINDS[resource][1], "apiVersion": re.sub("^/apis?/", "", self.group(resource)), **thing}

    def note(self, resource, kind, thing):
        """With the lock held."""
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        line = json.dumps({"type": kind, "object": self.typed(resource, thing)}).encode() + b"\n"
        self.log.append(Change(self.version, resource, kind, thing, line))
        if len(self.log) == self.log.maxlen:
            self.oldest = max(self.oldest, self.log[0].version)
        self.changed.notify_all()

    def put(self, resource, thing):
        key = thing["metadata"].get("namespace", ""), thing["metadata"]["name"]
        with self.changed:
            kind = "MODIFIED" if key in self.objects[resource] else "ADDED"
            self.objects[resource][key] = thing
            self.note(resource, kind, thing)

    def delete(self, resource, name, namespace=""):
        with self.changed:
            thing = self.objects[resource].pop((namespace, name), None)
            if thing:
                self.note(resource, "DELETED", dict(thing, metadata=dict(thing["metadata"])))

    @contextlib.contextmanager
    def forgetting(self, gone_by):
        """What is changed meanwhile no watch tells: it and all before it is forgotten."""
        with self.changed:
            self.gone_by = gone_by
            yield
            self.log.clear()
            self.version += 1
            self.oldest = self.version
            self.drop_watches()

    def drop_watches(self, torn=False):
        """Ends all watches, in order or in the middle of an answer."""
        with self.changed:
            self.torn = torn
            self.drops += 1
            self.changed.notify_all()

    def watches(self, resource="pods"):
        return sum(path.endswith("/" + resource) and "watch" in query for path, query, _ in list(self.asked))

    def reply(self, path, query, handler):
        if path == "/apis/resource.k8s.io":
            version = {"groupVersion": f"resource.k8s.io/{self.slices}", "version": self.slices}
            return 200, {"kind": "APIGroup", "apiVersion": "v1", "name": "resource.k8s.io", "versions": [version],
                         "preferredVersion": version}
        match = OBJECT_PATH.fullmatch(path)
        if not match or match[3] not in KINDS or match[1] != self.group(match[3]):
            return failure(404, "NotFound", "the server could not find the requested resource")
        _, namespace, resource, name = match.groups()
        if resource in self.forbidden:
            return failure(403, "Forbidden", f'{resource} is forbidden: User "system:serviceaccount:monitoring:'
                                             f'warpsight" cannot list resource "{resource}" at the cluster scope')
        if name:
            with self.changed:
                thing = self.objects[resource].get((namespace or "", name))
                return ((200, self.typed(resource, thing)) if thing
                        else failure(404, "NotFound", f'{resource} "{name}" not found'))
        chosen = selector(query.get("fieldSelector", ""), namespace)
        if chosen is None:
            return failure(400, "BadRequest", "field label not supported")
        if query.get("watch") in ("1", "true"):
            return self.watch(resource, query, chosen, handler)
        return self.list(resource, query, chosen)

    def list(self, resource, query, chosen):
        with self.changed:
            if "continue" in query:
                if query["continue"] not in self.rests:
                    return failure(410, "Expired", "The provided continue parameter is too old")
                version, items = self.rests.pop(query["continue"])
            else:
                version, items = self.version, [o for o in self.objects[resource].values() if chosen(o)]
            limit = min(int(query.get("limit") or len(items)), self.page_size or len(items))
            metadata = {"resourceVersion": str(version)}
            if len(items) > limit:
                token = base64.urlsafe_b64encode(secrets.token_bytes(12)).decode()
                self.rests = dict(list(self.rests.items())[-63:])
                self.rests[token] = (version, items[limit:])
                metadata.update({"continue": token, "remainingItemCount": len(items) - limit})
            typed = self.typed(resource, {})
            return 200, {"kind": typed["kind"] + "List", "apiVersion": typed["apiVersion"], "metadata": metadata,
                         "items": items[:limit]}

    def watch(self, resource, query, chosen, handler):
        too_old = failure(410, "Expired", "too old resource version")
        given = int(query.get("resourceVersion") or 0)
        bookmarks = query.get("allowWatchBookmarks") in ("1", "true")
        end = time.monotonic() + int(query.get("timeoutSeconds") or 1800)
        with self.changed:
            forgotten = 0 < given < self.oldest
            if forgotten and self.gone_by == "http":
                return too_old
            drops, position, first = self.drops, given or self.version, []
            if not given:
                first = [json.dumps({"type": "ADDED", "object": self.typed(resource, o)}).encode() + b"\n"
                         for o in self.objects[resource].values() if chosen(o)]
        self.asked.append((handler.path.partition("?")[0], query, 200))
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

        def say(data):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if data else b"")
            handler.wfile.flush()

        say(b"".join(first))
        bookmark_at = time.monotonic() + self.bookmark_every
        while not forgotten:
            with self.changed:
                def news():
                    return self.drops != drops or self.closed or self.version > position
                self.changed.wait_for(news, max(0, min(end, bookmark_at) - time.monotonic()))
                if self.drops != drops or self.closed:
                    break
                forgotten = position < self.oldest
                lines = [c.line for c in self.log
                         if c.version > position and c.resource == resource and chosen(c.object)]
                position = self.version
            if forgotten or time.monotonic() >= end:
                break
            if bookmarks and time.monotonic() >= bookmark_at:
                lines.append(json.dumps({"type": "BOOKMARK", "object": self.typed(
                    resource, {"metadata": {"resourceVersion": str(position)}})}).encode() + b"\n")
            if time.monotonic() >= bookmark_at:
                bookmark_at += self.bookmark_every
            while self.hung and not self.closed:
                time.sleep(0.02)
            say(b"".join(lines))
        if forgotten:
            say(json.dumps({"type": "ERROR", "object": too_old[1]}).encode() + b"\n")
        if (self.torn and self.drops != drops) or self.closed:
            say(b'{"type":"ADDED","object":{"metadata":{"na')
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")
            handler.wfile.flush()
        return None


def selector(text, namespace):
    """Whether an object is meant; None where the selector is none we know."""
    places = {"spec.nodeName": ("spec", "nodeName"), "metadata.name": ("metadata", "name"),
              "metadata.namespace": ("metadata", "namespace")}
    wanted = [term.partition("=") for term in text.split(",") if term]
    if any(field not in places for field, _, _ in wanted):
        return None

    def chosen(thing):
        if namespace and thing["metadata"].get("namespace") != namespace:
            return False
        return all(thing.get(places[field][0], {}).get(places[field][1]) == value.lstrip("=")
                   for field, _, value in wanted)
    return chosen


class Processes:
    """Processes on GPUs: what the driver says of them, and a /proc that says whose they are."""

    def __init__(self, root):
        self.root = root
        self.file = root / "processes"
        self.lines = {}
        self.next = 70_000
        (root / "proc").mkdir(parents=True)
        (root / "proc" / "stat").write_text("cpu 1 1 1 1 1 1 1 1 0 0\nbtime 1790000000\n")
        (root / "proc" / "uptime").write_text("90000.00 80000.00\n")
        self.tell()

    def add(self, gpu, pod, container=0, memory=0, sm=0, mig=None, form="systemd"):
        """Sizes in MiB, `sm` in percent; `form`: the cgroup driver of the kubelet."""
        pid, self.next = self.next, self.next + 1
        box = pod.containers[container].id
        path = {"systemd": f"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-"
                           f"pod{pod.uid.replace('-', '_')}.slice/cri-containerd-{box}.scope",
                "cgroupfs": f"/kubepods/besteffort/pod{pod.uid}/{box}"}[form]
        hierarchies = ("0::",) if form == "systemd" else ("4:memory:", "1:name=systemd:", "0::")
        folder = self.root / "proc" / str(pid)
        folder.mkdir()
        (folder / "cgroup").write_text("".join(f"{h}{path}\n" for h in hierarchies))
        (folder / "comm").write_text("python3\n")
        (folder / "cmdline").write_bytes(b"python3\0train.py\0")
        (folder / "environ").write_bytes(b"HOSTNAME=" + pod.name.encode() + b"\0")
        (folder / "stat").write_text(f"{pid} (python3) S 1 {pid} {pid} 0 -1 4194304" + " 0" * 12 +
                                     f" {pid * 10}" + " 0" * 30 + "\n")
        (folder / "status").write_text(f"Name:\tpython3\nState:\tS (sleeping)\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t1\n"
                                       f"Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nNStgid:\t{pid}\t1\nNSpid:\t{pid}\t1\n")
        self.lines[pid] = f"{gpu} {pid} {memory} {sm}" + (f" {mig}" if mig is not None else "")
        self.tell()
        return pid

    def remove(self, pid):
        del self.lines[pid]
        self.tell()
        shutil.rmtree(self.root / "proc" / str(pid))

    def tell(self):
        fresh = self.file.with_suffix(".new")
        fresh.write_text("".join(line + "\n" for line in self.lines.values()))
        fresh.rename(self.file)


class Node:
    """One node of a cluster; what is done to a pod is told by all who know of it."""

    def __init__(self, certificates, name="node0", slices="v1"):
        self.name = name
        # A socket's path must be short.
        self.directory = Path(tempfile.mkdtemp(prefix="node-"))
        self.authority = certificates.path("ca.pem")
        self.token_file = self.directory / "token"
        self.set_token("token-1")
        tls = certificates.server_context
        self.resources = PodResources(self.directory / "kubelet.sock")
        self.api = ApiServer(slices=slices, tls=tls(), tokens={"token-1"})
        self.kubelet = KubeletPods(tls=tls(), tokens={"token-1"})
        self.api.put("nodes", {
            "metadata": {"name": name, "uid": str(uuid.uuid4()), "labels": {
                "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "zone-a"}},
            "spec": {}, "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}}})

    def set_token(self, token):
        fresh = self.directory / "token.new"
        fresh.write_text(token)
        fresh.chmod(0o600)
        fresh.rename(self.token_file)

    def run(self, *pods):
        for pod in pods:
            self.api.put("pods", pod.json())
            self.kubelet.pods[pod.key] = pod
        self.resources.add(*pods)

    def finish(self, pod, phase="Succeeded"):
        """It ends, and is still listed, as kubelets before 1.34 do."""
        pod.phase = phase
        self.api.put("pods", pod.json())

    def delete(self, *pods):
        self.resources.remove(*pods)
        for pod in pods:
            self.kubelet.pods.pop(pod.key, None)
            self.api.delete("pods", pod.name, pod.namespace)

    def close(self):
        self.resources.hung = self.api.hung = self.kubelet.hung = False
        self.resources.stop()
        self.api.stop()
        self.kubelet.stop()
        shutil.rmtree(self.directory)
