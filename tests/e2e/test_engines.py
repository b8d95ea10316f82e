"""Serving engines, scraped by the real agent: what it says of them, and what it survives."""
import json
import os
import socketserver
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from conftest import BINARY, ROOT, run, wait_for
from engine_pages import EngineServer, Vllm
from peers import Certificates, free_port

QUIET = "publish_interval: 1s\nsources:\n  host: false\n  kmsg: false\n"


def scraping(*endpoints, more=""):
    return QUIET + f"  scrape: {{period: 1s, discover: false, endpoints: [{', '.join(endpoints)}]{more}}}\n"


@pytest.fixture
def serve():
    servers = []

    def launch(*arguments, **more):
        servers.append(EngineServer(*arguments, **more))
        return servers[-1]

    yield launch
    for server in servers:
        server.close()


def test_an_engine_is_told_in_its_own_and_in_the_common_names(start, serve):
    vllm = Vllm(engines=2)
    vllm.engines[0].update(running=3, waiting=1, generated=1000)
    vllm.engines[1].update(running=50, waiting=199, generated=70)
    server = serve({"/metrics": vllm.page, "/version": '{"version": "0.11.2"}'})
    agent = start(config=scraping(server.address))
    page = agent.wait_page("the version", lambda p: p.values("llm_requests_running",
                                                             llm_engine_version="0.11.2"))
    for index, running, waiting in (("0", 3, 1), ("1", 50, 199)):
        engine = dict(llm_engine="vllm", model_name=vllm.model, llm_engine_index=index)
        assert page.value("llm_requests_running", **engine) == running
        assert page.value("vllm_requests_waiting", **engine) == waiting
    assert page.value("llm_up", llm_engine="vllm", server_address=server.address) == 1
    assert page.value("llm_tokens_generation_total", llm_engine_index="0") == 1000
    assert page.value("llm_ttft_seconds_count", llm_engine_index="0") == 0


def test_rates_and_quantiles_are_of_the_window(start, serve):
    vllm = Vllm()
    engine = vllm.engines[0]
    engine["ttft"] = {0.03: 1_000_000}
    engine["generated"] = 5_000_000
    server = serve({"/metrics": vllm.page})
    agent = start(config=scraping(server.address))
    agent.wait_page("a window without traffic",
                    lambda p: p.value("llm_generation_throughput_per_second") == 0)
    assert agent.page().values("llm_latency_quantile_seconds") == []
    engine["ttft"] = {0.03: 1_000_000, 9: 3_000}
    engine["generated"] += 600
    page = agent.wait_page("the slow ones", lambda p: p.values("llm_latency_quantile_seconds"))
    for q in ("0.5", "0.95", "0.99"):
        assert 7.5 < page.value("llm_latency_quantile_seconds", llm_latency="ttft", q=q) <= 10
    assert 0 < page.value("llm_generation_throughput_per_second") <= 1200


def test_an_outage_shows_and_ends_without_a_spike(start, serve):
    vllm = Vllm()
    vllm.engines[0]["generated"] = 1_000_000
    server = serve({"/metrics": vllm.page})
    agent = start(config=scraping(server.address))
    agent.wait_page("the engine", lambda p: p.value("llm_up") == 1)
    server.close()
    page = agent.wait_page("the outage", lambda p: p.value("llm_up") == 0)
    assert page.value("llm_up", error_type="connect") == 0 and len(page.values("llm_up")) == 1
    agent.wait_page("nothing told as if fresh", lambda p: not p.values("llm_tokens_generation_total"))
    assert "llm.endpoint.down" in agent.fetch("/api/v1/status")[1].decode() or "cannot be scraped" in str(agent.status())
    vllm.engines[0]["generated"] += 100
    again = EngineServer({"/metrics": vllm.page}, port=server.port)
    try:
        page = agent.wait_page("its return", lambda p: p.values("llm_generation_throughput_per_second"))
        assert page.value("llm_generation_throughput_per_second") <= 100
        assert page.value("llm_up") == 1
    finally:
        again.close()


def test_credentials_encodings_sockets(start, serve, tmp_path):
    certificates = Certificates(tmp_path / "certificates")
    token = tmp_path / "token"
    token.write_text("tok-1\n")
    token.chmod(0o600)
    secure = serve({"/metrics": Vllm("secure").page}, tls=certificates.server_context(client_required=True),
                   authorization="Bearer tok-1", compress=True)
    path = tmp_path / "e.sock"

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            while True:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    line = self.rfile.readline()
                    if not line:
                        return
                    head += line
                body = Vllm("local").page().encode()
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True

    local = Server(str(path), Handler)
    threading.Thread(target=local.serve_forever, daemon=True).start()
    c = certificates
    agent = start(config=scraping(f"'unix:{path}'") + (
        f"  scrape/secure: {{period: 1s, endpoints: ['https://127.0.0.1:{secure.port}/metrics'], "
        f"auth: {{bearer_file: {token}}}, tls: {{ca: {c.path('ca.pem')}, certificate: {c.path('client.pem')}, "
        f"key: {c.path('client.key')}}}}}\n"))
    page = agent.wait_page("both", lambda p: p.values("llm_requests_running", model_name="secure")
                           and p.values("llm_requests_running", model_name="local"))
    assert page.value("llm_up", server_address=str(path)) == 1
    wait_for("a few scrapes", lambda: len(secure.asked) >= 4)
    assert len(secure.connections) == 1, "the connection is kept"
    assert "openmetrics" in secure.asked[0][1]["Accept"]
    assert "tok-1" not in agent.logged() and "tok-1" not in json.dumps(agent.status())
    token.write_text("tok-2\n")
    agent.wait_page("the refusal", lambda p: p.values("llm_up", error_type="401"))
    local.shutdown()


class Hostile(socketserver.ThreadingTCPServer):
    """Answers each connection with what `body` yields, as fast as it is taken."""
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, head, body):
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    while self.rfile.readline().strip():
                        pass
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + head + b"\r\n")
                    for chunk in body():
                        self.wfile.write(chunk)
                        server.sent += len(chunk)
                except OSError:
                    pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.sent = 0
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"


def endless():
    chunk = b"".join(b'vllm:num_requests_running{engine="%d"} 1\n' % i for i in range(1000)) * 10
    while True:
        yield chunk


def drop_by_drop():
    for byte in b"vllm:num_requests_running 1\n" * 100:
        yield bytes([byte])
        time.sleep(1)


def a_million_series():
    for first in range(0, 1_000_000, 10_000):
        yield b"".join(b'vllm:num_requests_running{model_name="m%d"} 1\n' % i
                       for i in range(first, first + 10_000))


def resident_mb(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def test_hostile_endpoints_cost_nothing_but_themselves(start, serve):
    good = serve({"/metrics": Vllm("good").page})
    loop = serve({"/metrics": (302, "", {"Location": "/metrics"})})
    hostile = [Hostile(b"", endless), Hostile(b"", drop_by_drop),
               Hostile(b"", a_million_series)]
    agent = start(config=scraping(good.address, loop.address, *[h.address for h in hostile],
                                  more=", limits: {series: 1000}"))
    expected = {hostile[0].address: "too_large", hostile[1].address: "timeout",
                hostile[2].address: "too_large", loop.address: "redirect"}
    page = agent.wait_page("all of them found out", lambda p: all(
        p.values("llm_up", server_address=address, error_type=why) for address, why in expected.items()))
    assert page.value("llm_up", server_address=good.address) == 1
    asked = len(good.asked)
    wait_for("the good one to be scraped on", lambda: len(good.asked) >= asked + 3)
    assert agent.page().values("llm_requests_running", model_name="good")
    if "/tsan/" not in BINARY:  # whose memory is mostly the sanitizer's
        assert resident_mb(agent.process.pid) < 150
    events = json.dumps(agent.status())
    assert "larger than allowed" in events and "redirects" in events
    for server in hostile:
        server.shutdown()


def test_a_page_with_too_many_series_is_cut_and_said_so(start, serve):
    lines = "".join(f'vllm:num_requests_running{{model_name="m{i}",engine="0"}} 1\n' for i in range(5000))
    server = serve({"/metrics": lines})
    agent = start(config=scraping(server.address, more=", limits: {series: 1000}"))
    page = agent.wait_page("what fits", lambda p: p.values("llm_requests_running"))
    assert len(page.values("llm_requests_running")) == 1000
    assert "limit of 1000 series" in json.dumps(agent.status())


ENGINE_PROCESS = """
import sys
sys.path[:0] = [%r, %r]
from engine_pages import EngineServer, Vllm
pages = {path: Vllm(sys.argv[3]).page() if body == "PAGE" else body
         for path, body in (item.split("=", 1) for item in sys.argv[4:])}
server = EngineServer(pages, port=int(sys.argv[2]))
print("listening", flush=True)
for line in sys.stdin:
    print(server.paths(), flush=True)
""" % (str(ROOT / "tests" / "e2e"), str(ROOT / "tests"))


class EngineProcess:
    """A server of its own process, whose command line says `words`."""

    def __init__(self, words, port, model, **pages):
        items = [f"/{path.replace('__', '/')}={body}" for path, body in pages.items()]
        self.process = subprocess.Popen([sys.executable, "-c", ENGINE_PROCESS, words, str(port), model, *items],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "listening\n"

    def paths(self):
        self.process.stdin.write("?\n")
        self.process.stdin.flush()
        return eval(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.wait()


DISCOVERING = QUIET + "  scrape: {period: 1s, discover_period: 5s}\n"


def up_at(page, port):
    """llm.up of whatever is at the port, under any of this machine's names. Other tests' engines, which a
    looking agent finds too, are elsewhere."""
    return [value for name, labels, value in page.samples
            if name == "llm_up" and labels["server_address"].endswith(f":{port}")]


def test_engines_are_found_by_their_command_line_and_forgotten(start):
    ports = [free_port(), free_port()]
    engines = [EngineProcess("vllm serve", ports[0], "found", metrics="PAGE", version='{"version": "0.11.0"}'),
               EngineProcess("trtllm-serve", ports[1], "trt", metrics="[]",
                             prometheus__metrics="trtllm_num_requests_running 2\n")]
    try:
        agent = start(config=DISCOVERING)
        page = agent.wait_page("both engines", lambda p: up_at(p, ports[0]) == [1] and up_at(p, ports[1]) == [1])
        assert page.values("llm_requests_running", model_name="found", llm_engine_version="0.11.0")
        assert "/metrics" not in engines[1].paths(), "trtllm-serve's /metrics drains a queue"
        engines[0].close()
        agent.wait_page("the first to be forgotten", lambda p: not up_at(p, ports[0]))
        assert up_at(agent.page(), ports[1]) == [1]
    finally:
        for engine in engines:
            engine.close()


def test_a_named_engine_is_not_found_again(start):
    port = free_port()
    engine = EngineProcess("vllm serve", port, "named", metrics="PAGE", version='{"version": "0.11.0"}')
    try:
        agent = start(config=DISCOVERING)
        agent.wait_page("it found", lambda p: up_at(p, port) == [1])
        agent.write_config(DISCOVERING + f"  scrape/mine: {{period: 1s, endpoints: ['localhost:{port}']}}\n")
        agent.process.send_signal(1)
        agent.wait_page("it named", lambda p: p.values("llm_up", server_address=f"localhost:{port}") == [1]
                        and up_at(p, port) == [1] and len(p.values("llm_requests_running", model_name="named")) == 1)
    finally:
        engine.close()


def test_a_removed_endpoint_ends_at_once(start, serve):
    first, second = serve({"/metrics": Vllm("first").page}), serve({"/metrics": Vllm("second").page})
    agent = start(config=scraping(first.address, second.address))
    agent.wait_page("both", lambda p: len(p.values("llm_requests_running")) == 2)
    agent.write_config(scraping(second.address))
    agent.process.send_signal(1)
    page = agent.wait_page("the second alone", lambda p: len(p.values("llm_requests_running")) == 1)
    assert page.values("llm_requests_running", model_name="second")
    assert not page.values("llm_up", server_address=first.address)


def test_bad_addresses_are_errors_with_their_line(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text("sources:\n  scrape:\n    endpoints: ['http://user:hunter2@host/metrics']\n")
    done = run("check-config", "--config", str(path), check=False)
    assert done.returncode == 3 and f"{path}:3" in done.stderr
    assert "hunter2" not in done.stderr and "auth.username" in done.stderr


def test_the_conventions_names_are_real_histograms(start, serve):
    vllm = Vllm("m")
    vllm.engines[0]["ttft"] = {0.03: 5, 0.3: 7}
    server = serve({"/metrics": vllm.page})
    agent = start(config="namespaces: [gen_ai]\n" + scraping(server.address, more=", operation: text_completion"))
    page = agent.wait_page("gen_ai", lambda p: p.values("gen_ai_server_time_to_first_token_seconds_count"))
    labels = dict(gen_ai_provider_name="vllm", gen_ai_request_model="m", gen_ai_operation_name="text_completion",
                  server_address="127.0.0.1", server_port=str(server.port))
    assert page.value("gen_ai_server_time_to_first_token_seconds_count", **labels) == 12
    assert page.value("gen_ai_server_time_to_first_token_seconds_bucket", le="0.04", **labels) == 5
    assert not [name for name in page.names() if name.startswith("gen_ai_client")]


def test_an_engine_of_ones_own(start, serve, tmp_path):
    table = tmp_path / "acme.yaml"
    table.write_text(
        "name: acme\ntitle: Acme Serve\npaths: [/metrics]\nprefixes: [acme_]\nlabels:\n"
        "  - { from: m, to: model.name, tells_subject: true }\n"
        "metrics:\n  - { from: [acme_busy], own: acme.busy, common: llm.requests.running, kind: gauge, "
        "unit: '{request}', about: requests in work }\n")
    server = serve({"/metrics": 'acme_busy{m="x"} 4\n'})
    agent = start(config=scraping(server.address, more=f", tables: [{table}]"))
    page = agent.wait_page("it", lambda p: p.values("acme_busy"))
    assert page.value("llm_requests_running", llm_engine="acme", model_name="x") == 4


def test_everything_scraped_can_be_passed_through(start, serve):
    server = serve({"/metrics": "# TYPE vllm:odd_thing gauge\nvllm:odd_thing{a=\"b\"} 7\n"
                                "# TYPE other counter\nother_total 3\n# TYPE secret gauge\nsecret 1\n"})
    agent = start(config=scraping(server.address, more=", names: [raw], raw: {deny: ['sec*']}"))
    page = agent.wait_page("the odd thing", lambda p: p.values("vllm:odd_thing"))
    assert page.value("vllm:odd_thing", a="b") == 7 and page.value("other_total") == 3
    assert not page.values("secret")


DCGM = """\
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="{uuid}",pci_bus_id="00000000:18:00.0",device="nvidia0",modelName="NVIDIA H100",Hostname="h"}} 321.5
# TYPE DCGM_FI_DEV_FB_USED gauge
DCGM_FI_DEV_FB_USED{{gpu="0",UUID="{uuid}",pci_bus_id="00000000:18:00.0",device="nvidia0",modelName="NVIDIA H100",Hostname="h"}} 1024
# TYPE DCGM_FI_PROF_SM_ACTIVE gauge
DCGM_FI_PROF_SM_ACTIVE{{gpu="0",UUID="{uuid}",pci_bus_id="00000000:18:00.0",device="nvidia0",modelName="NVIDIA H100",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",Hostname="h"}} 0.99
DCGM_FI_PROF_SM_ACTIVE{{gpu="0",UUID="{uuid}",pci_bus_id="00000000:18:00.0",device="nvidia0",modelName="NVIDIA H100",GPU_I_PROFILE="1g.10gb",GPU_I_ID="8",Hostname="h"}} 0.01
"""


def test_dcgm_exporter_tells_of_gpus_where_the_driver_does_not(start, serve):
    server = serve({"/metrics": DCGM.format(uuid="GPU-1")})
    agent = start(config=QUIET + f"  nvml: false\n  dcgm: {{period: 1s, endpoint: '{server.address}'}}\n")
    page = agent.wait_page("the GPU", lambda p: p.values("gpu_power_draw_watts"))
    assert page.value("gpu_power_draw_watts", gpu_uuid="GPU-1", gpu_vendor="nvidia") == 321.5
    assert page.value("gpu_memory_used_bytes") == 1 << 30
    assert page.value("gpu_sm_active_ratio", gpu_mig_instance_id="7", gpu_mig_profile="1g.10gb") == 0.99
    assert page.value("gpu_sm_active_ratio", gpu_mig_instance_id="8") == 0.01


def whole_dcgm_page(uuid):
    """Every field that the table knows, of one GPU."""
    table = yaml.safe_load((ROOT / "src/sources/engines/builtin/dcgm.yaml").read_text())
    names = [name for rule in table["metrics"] for name in rule["from"]]
    labels = f'gpu="0",UUID="{uuid}",modelName="NVIDIA H100",device="nvidia0",Hostname="h"'
    return "".join(f"{name}{{{labels}}} 1\n" for name in names if name.startswith("DCGM_"))


def series_of(page, uuid):
    return {(name, tuple(sorted(labels.items()))) for name, labels, _ in page.samples
            if labels.get("gpu_uuid") == uuid and "process_pid" not in labels}


def test_dcgm_exporter_doubles_nothing(start, serve):
    agent = start("--simulate", "8xh100", config=QUIET + "  nvml: {period: 500ms}\n")
    page = agent.wait_page("GPUs", lambda p: p.values("gpu_power_draw_watts") and p.values("gpu_energy_consumption_joules_total"))
    uuid = next(l["gpu_uuid"] for n, l, _ in page.samples if n == "gpu_power_draw_watts" and l["gpu_index"] == "0")
    server = serve({"/metrics": whole_dcgm_page(uuid)})
    agent.write_config(QUIET + f"  nvml: {{period: 500ms}}\n  dcgm: {{period: 1s, endpoint: '{server.address}'}}\n")
    agent.process.send_signal(1)
    wait_for("scrapes", lambda: len(server.asked) >= 3)
    with_dcgm = agent.wait_page("a publish", lambda p: p.values("warpsight_source_up", source="dcgm"))
    before, after = series_of(page, uuid), series_of(with_dcgm, uuid)
    known = {name for name, _ in before}
    assert not [series for series in after - before if series[0] in known], "a metric of the driver, told again"
    assert len(with_dcgm.values("gpu_power_draw_watts")) == 8
    assert with_dcgm.value("gpu_power_draw_watts", gpu_index="0") != 1


def write_pages(tmp_path, *pages):
    paths = []
    for number, text in enumerate(pages):
        path = tmp_path / f"{number}.prom"
        path.write_text(text)
        paths.append(str(path))
    return paths


def test_scrape_tells_a_person(tmp_path, serve):
    vllm = Vllm("llama")
    vllm.engines[0].update(running=2, waiting=5, generated=100, ttft={0.03: 4})
    first = vllm.page()
    vllm.engines[0].update(generated=3100, ttft={0.03: 4, 9: 6})
    paths = write_pages(tmp_path, first, vllm.page())
    once = run("scrape", paths[0]).stdout
    assert "vLLM" in once and "llama" in once and "2 running, 5 waiting" in once
    assert "since the engine started" in once and "not on this page" in once
    twice = run("scrape", *paths, "--interval", "30s").stdout
    assert "100 generated a second" in twice and "p95 9" in twice
    live = run("scrape", serve({"/metrics": first}).address).stdout
    assert "2 running, 5 waiting" in live


def test_scrape_sends_credentials_only_where_the_config_says(tmp_path, serve):
    named, other = serve({"/metrics": Vllm().page}), serve({"/metrics": Vllm().page})
    config = tmp_path / "w.yaml"
    config.write_text(f"sources: {{scrape: {{endpoints: ['{named.address}'], auth: {{bearer: '${{TOKEN}}'}}}}}}\n")
    environment = {**os.environ, "TOKEN": "tok-1"}
    for server in (named, other):
        run("scrape", server.address, "--config", str(config), env=environment)
    assert named.asked[0][1]["Authorization"] == "Bearer tok-1"
    assert other.asked[0][1]["Authorization"] is None


def test_scrape_asks_an_engine_where_its_page_is(serve):
    server = serve({"/prometheus/metrics": "trtllm_num_requests_running 1\n", "/metrics": "[]"})
    run("scrape", server.address, "--engine", "trtllm")
    assert server.paths() == ["/prometheus/metrics"]


def test_scrape_prints_points_and_samples(tmp_path):
    page = 'vllm:num_requests_running{engine="0",model_name="a}\\"b"} 2 # {x="y"} 1\nodd NaN 1700000000000\n'
    path, = write_pages(tmp_path, page)
    points = [json.loads(line) for line in run("scrape", path, "--json").stdout.splitlines()]
    point = next(p for p in points if p["metric"] == "llm.requests.running")
    assert point["value"] == 2 and point["attributes"]["model.name"] == 'a}"b'
    samples = [json.loads(line) for line in run("scrape", path, "--raw", "--json").stdout.splitlines()]
    assert [s["name"] for s in samples] == ["vllm:num_requests_running", "odd"]
    assert samples[0]["labels"] == {"engine": "0", "model_name": 'a}"b'}
    assert samples[1]["value"] == "NaN" and samples[1]["timestamp_ms"] == 1700000000000


def test_scrape_is_strict_when_asked(tmp_path):
    good, bad = write_pages(tmp_path, "# TYPE a gauge\na 1\n", "a 1\nb{x=1} 2\n")
    assert run("scrape", good, "--strict").returncode == 0
    refused = run("scrape", bad, "--strict", check=False)
    assert refused.returncode == 1 and f"{bad}:2:" in refused.stderr
    lenient = run("scrape", bad)
    assert f"{bad}:2: left out" in lenient.stderr


def test_scrape_says_what_is_wrong(tmp_path):
    refused = run("scrape", f"127.0.0.1:{free_port()}", check=False)
    assert refused.returncode == 1 and "error:" in refused.stderr
    unknown = run("scrape", *write_pages(tmp_path, "x 1\n"), "--engine", "vlm", check=False)
    assert unknown.returncode == 1 and "vllm" in unknown.stderr


def captured_pages():
    folder = Path(os.environ.get("WARPSIGHT_CAPTURES", ROOT / ".." / "shared" / "captures"))
    names = ["vllm_metrics", "ray_vllm_metrics", "nim_metrics", "nvidia_triton_openmetrics", "payload",
             "dcgm_metrics", "ray_head", "ray_worker"]
    return [folder / "DataDog+integrations-core" / f"{name}.txt" for name in names]


@pytest.mark.parametrize("path", captured_pages(), ids=lambda p: p.stem)
def test_every_sample_of_real_pages_is_read(path):
    if not path.exists():
        pytest.skip("no captures of real engines here")
    families = pytest.importorskip("prometheus_client.parser").text_string_to_metric_families
    expected = sum(len(family.samples) for family in families(path.read_text()))
    read = run("scrape", str(path), "--raw", "--json").stdout.count("\n")
    assert read == expected
