"""The page to a real Prometheus, in the clear and not, and to those who may not see it."""
import ssl
import urllib.error
import urllib.request

import pytest

from conftest import run, wait_for
from peers import Certificates, Prometheus

FAST = "publish_interval: 1s\nsources: {nvml: {period: 500ms}}\n"


def scraped_without_a_word(tmp_path, scrape):
    prometheus = Prometheus(tmp_path / "prometheus", scrape=scrape)

    def all_eight():
        result = prometheus.query("count(gpu_power_draw_watts)")
        return result and float(result[0]["value"][1]) == 8
    try:
        wait_for("Prometheus to have the GPUs", all_eight)
        assert prometheus.query("up")[0]["value"][1] == "1"
        wait_for("a histogram", lambda: prometheus.query("warpsight_sink_duration_seconds_count"))
        assert "level=warn" not in prometheus.logged() and "level=error" not in prometheus.logged()
    finally:
        prometheus.stop()


def job(address, more=""):
    scheme, target = address.split("://")
    return f"- job_name: w\n  scheme: {scheme}\n  static_configs: [{{targets: ['{target}']}}]\n{more}"


def with_file_sink(tmp_path):
    return FAST + f"sinks: {{file: {{path: {tmp_path / 'lines.jsonl'}}}}}\n"


def test_a_real_prometheus_scrapes_the_page(start, tmp_path):
    agent = start("--simulate", "8xh100", config=with_file_sink(tmp_path))
    scraped_without_a_word(tmp_path, job(agent.address))


def test_a_real_prometheus_scrapes_over_mutual_tls_with_a_password(start, tmp_path):
    c = Certificates(tmp_path / "certificates")
    agent = start("--simulate", "8xh100", config=with_file_sink(tmp_path) + (
        f"listen_tls: {{certificate: {c.path('server.pem')}, key: {c.path('server.key')}, "
        f"client_ca: {c.path('ca.pem')}}}\nlisten_auth: {{username: prom, password: '${{PASSWORD}}'}}\n"),
        environment={"PASSWORD": "open sesame"})
    assert agent.address.startswith("https://")
    scraped_without_a_word(tmp_path, job(agent.address, (
        f"  tls_config: {{ca_file: {c.path('ca.pem')}, cert_file: {c.path('client.pem')}, "
        f"key_file: {c.path('client.key')}}}\n  basic_auth: {{username: prom, password: open sesame}}\n")))


def test_only_who_has_the_token_sees_anything(start, tmp_path):
    c = Certificates(tmp_path / "certificates")
    agent = start("--simulate", "t4", config=FAST + (
        f"listen_tls: {{certificate: {c.path('server.pem')}, key: {c.path('server.key')}}}\n"
        "listen_auth: {bearer: '${TOKEN}'}\n"), environment={"TOKEN": "tok-123"})
    trusting = ssl.create_default_context(cafile=c.path("ca.pem"))

    def status(path, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with urllib.request.urlopen(urllib.request.Request(agent.address + path, headers=headers),
                                        context=trusting) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code
    for path in ("/metrics", "/api/v1/status", "/api/v1/owners", "/api/v1/now", "/api/v1/live", "/api/v1/latest",
                 "/api/v1/series?metric=gpu.power.draw", "/api/v1/events", "/api/v1/alerts"):
        assert [status(path), status(path, "tok-124"), status(path, "tok-123")] == [401, 401, 200], path
    assert status("/api/v1/silences?id=1") == 401
    assert status("/healthz") == 200
    assert status("/") == 200, "the page's files hold no data: it asks for the token itself"
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(agent.address + "/healthz")  # does not trust our authority


def test_a_page_open_to_the_network_must_be_asked_for_twice(start, tmp_path):
    config = tmp_path / "open.yaml"
    config.write_text(f"state_dir: {tmp_path / 'state'}\n")
    refused = run("run", "--config", str(config), "--listen", "0.0.0.0:0", "--simulate", "t4", check=False)
    assert refused.returncode == 1
    assert "listen_open" in refused.stderr and "listen_auth" in refused.stderr
    agent = start("--simulate", "t4", "--listen", "0.0.0.0:0", config=FAST + "listen_open: true\n")
    agent.wait_logged("page: http")
    assert "open to the network" in agent.logged()
    guarded = start("--simulate", "t4", "--listen", "0.0.0.0:0", config=FAST + "listen_auth: {bearer: tok-123}\n")
    guarded.wait_logged("page: http")


def test_paths_out_of_the_page_and_queries_too_large_are_refused(start):
    agent = start("--simulate", "t4")
    for path, code in [("/../../etc/passwd", 404), ("/%2e%2e/%2e%2e/etc/passwd", 404), ("/app.js/../../etc/passwd", 404),
                       ("/api/v1/series?metric=" + "x" * 20000, 400), ("/api/v1/series?" + "match=a%3Db&" * 100, 400),
                       ("/api/v1/series?metric=gpu.power.draw&from=-300d&step=1", 400), ("/api/v1/now?x=%zz", 400)]:
        with pytest.raises(urllib.error.HTTPError) as refused:
            agent.fetch(path)
        assert refused.value.code in (code, 414), path


def test_a_rotated_certificate_is_served_without_a_restart(start, tmp_path):
    c = Certificates(tmp_path / "certificates")
    agent = start("--simulate", "t4", config=FAST + (
        f"listen_tls: {{certificate: {c.path('server.pem')}, key: {c.path('server.key')}}}\n"))
    host, port = agent.address.removeprefix("https://").split(":")

    def served():
        return ssl.get_server_certificate((host, int(port)))
    before = served()
    c.signed("server", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    wait_for("the new certificate", lambda: served() != before, interval=0.5)
    assert served().strip() in open(c.path("server.pem")).read()
