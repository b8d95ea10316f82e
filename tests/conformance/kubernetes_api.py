"""What a user of a cluster asks: the API server by plain HTTPS, the kubelet by HTTPS and gRPC."""
import http.client
import json
import ssl
import urllib.parse


class Refused(Exception):
    def __init__(self, method, path, status, body):
        super().__init__(f"{method} {path}: {status} {body[:500]}")
        self.status = status
        self.body = body


class Client:
    """HTTPS with a bearer token to 127.0.0.1; one connection for each request."""

    def __init__(self, port, authority, token):
        self.port = port
        self.token = token
        self.tls = ssl.create_default_context(cafile=authority)

    def open(self, method, path, body=None, content="application/json", accept="application/json"):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=self.tls)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        if body is not None:
            headers["Content-Type"] = content
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def text(self, method, path, body=None, content="application/json"):
        response = self.open(method, path, body, content)
        answer = response.read().decode()
        if response.status >= 300:
            raise Refused(method, path, response.status, answer)
        return answer

    def get(self, path):
        return json.loads(self.text("GET", path))

    def post(self, path, body):
        return json.loads(self.text("POST", path, body))

    def put(self, path, body):
        return json.loads(self.text("PUT", path, body))

    def patch(self, path, body):
        return json.loads(self.text("PATCH", path, body, "application/merge-patch+json"))

    def delete(self, path, body=None):
        return json.loads(self.text("DELETE", path, body))

    def watch(self, path, **query):
        """The lines of a watch until the server ends it."""
        response = self.open("GET", f"{path}?{urllib.parse.urlencode({'watch': 'true', **query})}")
        if response.status != 200:
            raise Refused("GET", path, response.status, response.read().decode())
        yield from (line.decode().rstrip("\n") for line in response)

    def reachable(self, path="/readyz"):
        try:
            self.text("GET", path)
            return True
        except (OSError, http.client.HTTPException, Refused):
            return False


def fields(message):
    """(number, value) of a protobuf message: whole numbers as int, everything else as bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
        elif kind == 2:
            length = varint()
            yield number, message[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {kind} of field {number}")


def some(message, number, read):
    return [read(value) for found, value in fields(message) if found == number]


def text(message, number):
    return "".join(some(message, number, bytes.decode)[-1:])


def numbers(message, number):
    """A repeated whole number, as packed."""
    found = []
    for packed in some(message, number, bytes):
        value = shift = 0
        for byte in packed:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                found.append(value)
                value = shift = 0
    return found


def devices(message):
    nodes = some(message, 3, lambda topology: some(topology, 1, lambda node: sum(some(node, 1, int))))
    return {"resource_name": text(message, 1), "device_ids": some(message, 2, bytes.decode),
            "numa_nodes": nodes[0] if nodes else []}


def claim_resource(message):
    return {"cdi_devices": some(message, 1, lambda device: text(device, 1)), "driver_name": text(message, 2),
            "pool_name": text(message, 3), "device_name": text(message, 4)}


def dynamic_resource(message):
    return {"claim_name": text(message, 2), "claim_namespace": text(message, 3),
            "claim_resources": some(message, 4, claim_resource)}


def container(message):
    return {"name": text(message, 1), "devices": some(message, 2, devices), "cpu_ids": numbers(message, 3),
            "dynamic_resources": some(message, 5, dynamic_resource)}


def pod(message):
    return {"name": text(message, 1), "namespace": text(message, 2), "containers": some(message, 3, container)}


class PodResources:
    """The kubelet's pod-resources service; it may have been restarted between two calls."""

    def __init__(self, socket):
        self.address = f"unix:{socket}"

    def raw(self, method, request=b"", version="v1"):
        import grpc

        with grpc.insecure_channel(self.address) as channel:
            call = channel.unary_unary(f"/{version}.PodResourcesLister/{method}")
            return call(request, timeout=30, wait_for_ready=True)

    def pods(self):
        return some(self.raw("List"), 1, pod)

    def allocatable(self):
        return some(self.raw("GetAllocatableResources"), 1, devices)

    def given(self):
        """{(namespace, pod, container): its device ids, sorted}"""
        return {(p["namespace"], p["name"], c["name"]): sorted(i for d in c["devices"] for i in d["device_ids"])
                for p in self.pods() for c in p["containers"]}
