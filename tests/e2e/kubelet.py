"""A kubelet as the agent sees it: its pod-resources socket and its /pods."""
import contextlib
import os
import socket
import threading
import time
from collections import Counter, deque
from concurrent import futures

from json_server import KEPT, WORKERS, JsonServer, failure
from kubernetes_pods import message


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
