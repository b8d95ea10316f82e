"""Pages of serving engines, as tests write them."""
import gzip
import http.server
import threading

from peers import free_port

TTFT_BOUNDS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
               20, 40, 80, 160, 640, 2560)


def histogram(name, labels, observed, bounds=TTFT_BOUNDS):
    """Lines of a histogram of `observed`: {value: how many}."""
    lines = [f"# TYPE {name} histogram"]
    for bound in bounds:
        count = sum(n for value, n in observed.items() if value <= bound)
        lines.append(f'{name}_bucket{{{labels},le="{float(bound)}"}} {float(count)}')
    total = sum(observed.values())
    lines.append(f'{name}_bucket{{{labels},le="+Inf"}} {float(total)}')
    lines.append(f"{name}_count{{{labels}}} {float(total)}")
    lines.append(f"{name}_sum{{{labels}}} {float(sum(v * n for v, n in observed.items()))}")
    return lines


class Vllm:
    """A vLLM V1 page whose counts the test moves."""

    def __init__(self, model="meta-llama/Llama-3-8B", engines=1):
        self.model = model
        self.engines = [dict(running=0, waiting=0, prompt=0, generated=0, finished=0, ttft={})
                        for _ in range(engines)]

    def page(self):
        lines = []
        def family(name, kind, key):
            lines.append(f"# TYPE {name} {kind}")
            sample = f"{name}_total" if kind == "counter" else name
            for i, engine in enumerate(self.engines):
                lines.append(f'{sample}{{engine="{i}",model_name="{self.model}"}} {float(engine[key])}')
        family("vllm:num_requests_running", "gauge", "running")
        family("vllm:num_requests_waiting", "gauge", "waiting")
        family("vllm:prompt_tokens", "counter", "prompt")
        family("vllm:generation_tokens", "counter", "generated")
        lines.append("# TYPE vllm:request_success counter")
        for i, engine in enumerate(self.engines):
            lines.append(f'vllm:request_success_total{{engine="{i}",finished_reason="stop",'
                         f'model_name="{self.model}"}} {float(engine["finished"])}')
        for i, engine in enumerate(self.engines):
            lines += histogram("vllm:time_to_first_token_seconds",
                               f'engine="{i}",model_name="{self.model}"', engine["ttft"])
        return "\n".join(lines) + "\n"


class EngineServer:
    """Serves `pages` (path → text, or a callable giving it); other paths are 404. Keeps what was
    asked."""

    def __init__(self, pages, port=None, tls=None, authorization=None, compress=False):
        self.pages = pages
        self.asked = []
        self.connections = set()
        self.closed = False
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if server.closed:  # on a connection that was kept
                    self.close_connection = True
                    return None
                server.connections.add(self.client_address)
                server.asked.append((self.path, self.headers))
                if authorization and self.headers.get("Authorization") != authorization:
                    return self.reply(401, b"")
                page = server.pages.get(self.path)
                if page is None:
                    return self.reply(404, b"no")
                if callable(page):
                    page = page()
                if not isinstance(page, tuple):
                    page = (200, page)
                return self.reply(page[0], page[1].encode(), *page[2:])

            def reply(self, status, body, headers=None):
                self.send_response(status)
                if compress and body:
                    body = gzip.compress(body)
                    self.send_header("Content-Encoding", "gzip")
                for name, value in (headers or {"Content-Type": "text/plain; version=0.0.4"}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):
                pass

        self.port = port or free_port()
        self.server = Server(("127.0.0.1", self.port), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def paths(self):
        return [path for path, _ in self.asked]

    def close(self):
        self.closed = True
        self.server.shutdown()
        self.server.server_close()
