"""Peers for the agent's sinks: servers that keep what they are sent and answer as they are told."""
import gzip
import http.server
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections import namedtuple
from concurrent import futures

import pytest

from conftest import PATIENCE, ROOT, wait_for

Request = namedtuple("Request", "path headers body")


class Answer(namedtuple("Answer", "status headers body")):
    def __new__(cls, status=200, headers=None, body=b""):
        return super().__new__(cls, status, headers or {}, body)


def decompress(body, encoding):
    if encoding in (None, "", "identity"):
        return body
    if encoding == "gzip":
        return gzip.decompress(body)
    if encoding == "zstd":
        import zstandard
        return zstandard.ZstdDecompressor().decompress(body, max_output_size=1 << 28)
    if encoding == "snappy":
        import snappy
        return snappy.decompress(body)
    raise AssertionError(f"unknown encoding {encoding}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class HttpPeer:
    """Keeps every request and answers with answer(request, its number from 0)."""

    def __init__(self, answer=None, port=0, tls=None):
        self.answer = answer or (lambda request, number: Answer())
        self.requests = []
        self.lock = threading.Lock()
        self.tls = tls
        self.server = None
        self.port = port
        self.start()

    def start(self):
        peer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.path, self.headers,
                                  decompress(body, self.headers.get("Content-Encoding")))
                with peer.lock:
                    number = len(peer.requests)
                    answer = peer.answer(request, number)
                    if answer is None:  # as if the peer had died in mid-request
                        self.close_connection = True
                        return
                    peer.requests.append((request, answer, body))
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        if self.tls:
            self.server.socket = self.tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def taken(self, path=None):
        """The requests that were answered with success."""
        with self.lock:
            return [request for request, answer, _ in self.requests
                    if 200 <= answer.status < 300 and path in (None, request.path)]

    def statuses(self):
        with self.lock:
            return [answer.status for _, answer, _ in self.requests]

    def wait_taken(self, count, path=None):
        return wait_for(f"{count} requests to {path or 'the peer'}; answered: {self.statuses()}",
                        lambda: (lambda r: r if len(r) >= count else None)(self.taken(path)))


class GrpcPeer:
    """A real gRPC server for any unary method: answer(path, bytes, context) returns bytes."""

    def __init__(self, answer=None, port=0, credentials=None):
        import grpc

        self.requests = []
        self.answer = answer or (lambda path, body, context: b"")
        peer = self

        class Handler(grpc.GenericRpcHandler):
            def service(self, details):
                def unary(body, context):
                    reply = peer.answer(details.method, body, context)
                    peer.requests.append((details.method, dict(details.invocation_metadata), body))
                    return reply
                return grpc.unary_unary_rpc_method_handler(unary)

        self.server = grpc.server(futures.ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers((Handler(),))
        address = f"127.0.0.1:{port}"
        self.port = (self.server.add_secure_port(address, credentials) if credentials
                     else self.server.add_insecure_port(address))
        self.server.start()

    def stop(self):
        self.server.stop(0)

    def taken(self, method=None):
        return [body for path, _, body in list(self.requests) if method is None or path.endswith(method)]


class Prometheus:
    """Debian's Prometheus, or the one named, with its remote-write receiver on."""

    def __init__(self, directory, port=None, binary=None, scrape=""):
        """`scrape`: the items of scrape_configs, as YAML."""
        binary = binary or shutil.which("prometheus")
        if not binary:
            pytest.skip("prometheus is not installed")
        self.directory = directory
        self.port = port or free_port()
        directory.mkdir(exist_ok=True)
        config = directory / "prometheus.yml"
        config.write_text(f"global: {{scrape_interval: 1s}}\n" + (f"scrape_configs:\n{scrape}" if scrape else ""))
        self.log = open(directory / "prometheus.log", "ab")
        self.process = subprocess.Popen(
            [binary, f"--config.file={config}", f"--storage.tsdb.path={directory / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}", "--web.enable-remote-write-receiver",
             "--web.enable-lifecycle"], stdout=self.log, stderr=self.log)
        wait_for("Prometheus to be ready", self.ready)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ready(self):
        try:
            with urllib.request.urlopen(self.url + "/-/ready", timeout=PATIENCE) as response:
                return response.status == 200
        except OSError:
            return False

    def query(self, expression):
        url = self.url + "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return json.loads(response.read())["data"]["result"]

    def logged(self):
        return (self.directory / "prometheus.log").read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


class Certificates:
    """An authority with a server's and a client's certificate, made for one test run."""

    def __init__(self, directory):
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self.authority("ca")
        self.signed("server", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.signed("client", "ca", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return str(self.directory / name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.pem"),
                     "-days", "2", "-subj", f"/CN={name}",
                     "-addext", "basicConstraints=critical,CA:TRUE",
                     "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def signed(self, name, authority, extension):
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"),
                     "-subj", f"/CN={name}")
        (self.directory / f"{name}.ext").write_text(extension + "\n")
        self.openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.pem"),
                     "-CAkey", self.path(f"{authority}.key"), "-CAcreateserial", "-days", "2",
                     "-extfile", self.path(f"{name}.ext"), "-out", self.path(f"{name}.pem"))

    def server_context(self, client_required=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server.pem"), self.path("server.key"))
        if client_required:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path("ca.pem"))
        return context


def read_lines(path):
    """Points and events of the file sink; a line that is still being written is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def nanoseconds(text):
    """Of an RFC 3339 time with nine digits."""
    seconds = time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    import calendar
    return calendar.timegm(seconds) * 10**9 + int(text[20:29])


def schemas(directory):
    """The peers' messages as Python classes: {module name: module}."""
    import importlib
    import sys
    out = directory / "schemas"
    out.mkdir(exist_ok=True)
    protos = sorted((ROOT / "tests" / "proto").glob("*.proto"))
    subprocess.run(["protoc", f"--proto_path={ROOT / 'tests' / 'proto'}", f"--python_out={out}",
                    *map(str, protos)], check=True)
    sys.path.insert(0, str(out))
    try:
        return {p.stem: importlib.import_module(p.stem + "_pb2") for p in protos}
    finally:
        sys.path.remove(str(out))
