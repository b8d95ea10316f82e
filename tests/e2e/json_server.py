"""What the API server and the kubelet have in common: JSON over HTTP, for those who have a token."""
import contextlib
import http.server
import json
import socket
import threading
import time
import urllib.parse
from collections import deque

WORKERS = 32  # requests that one server answers at a time
KEPT = 20_000  # of what was asked and answered


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
