"""Everything measured arrives: what peers get, also after they were away, and what they answer."""
import hashlib
import hmac
import json
import os
import re
import signal
import time
import urllib.error
import urllib.request
from collections import Counter

import pytest
from google.protobuf import json_format

import otlp_points
from conftest import run, wait_for
from peers import (Answer, Certificates, GrpcPeer, HttpPeer, Prometheus, free_port, read_lines, schemas)

QUICK = "retry: {first: 20ms, longest: 200ms}"
METRICS, LOGS = "/v1/metrics", "/v1/logs"


@pytest.fixture(scope="session")
def messages(tmp_path_factory):
    return schemas(tmp_path_factory.mktemp("schemas"))


@pytest.fixture
def peer():
    made = []

    def make(*arguments, **more):
        made.append(HttpPeer(*arguments, **more))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def prometheus(tmp_path):
    made = []

    def make(port=None):
        made.append(Prometheus(tmp_path / "prometheus", port))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def decoder(messages):
    """Bytes of an export request to its JSON form."""
    def decode(body, logs=False):
        module, name = ("otlp_logs", "LogsRequest") if logs else (
            "otlp_metrics", "MetricsRequest")
        message = getattr(messages[module], name)()
        message.ParseFromString(body)
        return json_format.MessageToDict(message, use_integers_for_enums=True)
    return decode


def received_points(bodies, decode):
    return [point for body in bodies for point in otlp_points.points(decode(body))]


def config(directory, sinks, interval="200ms", more=""):
    return (f"publish_interval: {interval}\nsources: {{nvml: {{period: 200ms}}, kmsg: false}}\n"
            f"{more}sinks:\n  file: {{path: {directory / 'lines.jsonl'}, rotate_size: 0}}\n{sinks}")


def wait_ticks(agent, path, count):
    """Until so many publishes are in the file sink."""
    def ticks():
        agent.died()
        return path.exists() and path.read_bytes().count(b'"metric":"warpsight.build"') >= count
    wait_for(f"{count} ticks", ticks, patience=180, interval=0.2)


def in_order(points):
    """Whether each series' times rise, and how many of its points came twice."""
    last, seen, duplicates = {}, set(), 0
    for p in points:
        series = (p.name, p.attributes)
        if (series, p.time) in seen:
            duplicates += 1
            continue
        assert p.time > last.get(series, 0), f"out of order: {p}"
        last[series] = p.time
        seen.add((series, p.time))
    return duplicates


def stop_and_compare(agent, lines, bodies, decode):
    agent.stop()
    sent = otlp_points.line_points(read_lines(lines))
    got = received_points(bodies(), decode)
    assert set(got) == set(sent)
    assert in_order(got) == 0


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
def test_otlp_over_http_says_what_the_file_says(start, peer, tmp_path, messages, compression):
    receiver = peer()
    lines = tmp_path / "lines.jsonl"
    agent = start("--simulate", "8xh100", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/protobuf, compression: {compression}}}\n"))
    receiver.wait_taken(3, METRICS)
    stop_and_compare(agent, lines, lambda: [r.body for r in receiver.taken(METRICS)], decoder(messages))
    headers = receiver.taken(METRICS)[0].headers
    assert headers["Content-Type"] == "application/x-protobuf"
    assert headers.get("Content-Encoding", "none") == compression


def test_otlp_json_says_the_same(start, peer, tmp_path):
    receiver = peer()
    lines = tmp_path / "lines.jsonl"
    agent = start("--simulate", "8xh100", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/json}}\n"))
    receiver.wait_taken(3, METRICS)
    stop_and_compare(agent, lines, lambda: [r.body for r in receiver.taken(METRICS)], json.loads)


def test_otlp_over_grpc_says_the_same(start, tmp_path, messages):
    receiver = GrpcPeer()
    lines = tmp_path / "lines.jsonl"
    agent = start("--simulate", "8xh100", config=config(
        tmp_path, f"  otlp: {{endpoint: 'http://127.0.0.1:{receiver.port}', protocol: grpc}}\n"))
    wait_for("three exports", lambda: len(receiver.taken("MetricsService/Export")) >= 3)
    stop_and_compare(agent, lines, lambda: receiver.taken("MetricsService/Export"), decoder(messages))
    receiver.stop()


def test_otlp_grpc_with_mutual_tls(start, tmp_path, messages):
    import grpc
    certificates = Certificates(tmp_path / "certificates")
    read = lambda name: open(certificates.path(name), "rb").read()
    receiver = GrpcPeer(credentials=grpc.ssl_server_credentials(
        [(read("server.key"), read("server.pem"))], read("ca.pem"), require_client_auth=True))
    tls = f"ca: {certificates.path('ca.pem')}"
    mine = f"certificate: {certificates.path('client.pem')}, key: {certificates.path('client.key')}"
    agent = start("--simulate", "h200", config=config(tmp_path, (
        f"  otlp: {{endpoint: 'https://127.0.0.1:{receiver.port}', protocol: grpc, tls: {{{tls}, {mine}}}}}\n"
        f"  otlp/stranger: {{endpoint: 'https://127.0.0.1:{receiver.port}', protocol: grpc, tls: {{{tls}}}, {QUICK}}}\n")))
    wait_for("three exports", lambda: len(receiver.taken("MetricsService/Export")) >= 3)
    page = agent.wait_page("the stranger's failures",
                           lambda p: sum(p.values("warpsight_sink_failures_total", sink="otlp/stranger")) >= 2)
    assert page.value("warpsight_sink_sent_total", sink="otlp/stranger") in (None, 0)
    receiver.stop()


def test_events_become_log_records(start, peer, tmp_path, messages):
    receiver = peer()
    agent = start("--simulate", "lost-gpu", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/protobuf}}\n"))
    decode = decoder(messages)

    def lost():
        agent.died()
        found = [r for request in receiver.taken(LOGS) for r in otlp_points.records(decode(request.body, True))]
        return [record for record in found if record.name == "gpu.lost"]
    (record,) = wait_for("the lost GPU's record", lost)
    assert "gpu.uuid" in dict(record.attributes)
    assert record in otlp_points.line_records(read_lines(tmp_path / "lines.jsonl"))


def test_the_environment_alone_is_enough(start, peer):
    receiver = peer()
    start("--simulate", "h200", config="publish_interval: 200ms\n", environment={
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=a%20b,x-two=2", "OTEL_SERVICE_NAME": "node-agent",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test"})
    request = receiver.wait_taken(1, METRICS)[0]
    assert request.headers["x-tenant"] == "a b"
    (resource,) = {attributes for attributes, _, _ in otlp_points.metrics(json.loads(request.body))}
    assert {("service.name", "node-agent"), ("deployment.environment.name", "test")} <= set(resource)


def test_the_outage_drill(start, peer, tmp_path, messages):
    """Down for 500 ticks, up, kill -9 in mid-drain, up again: every point arrives, in order."""
    decode = decoder(messages)
    port = free_port()
    lines = tmp_path / "lines.jsonl"
    settings = config(tmp_path, f"  otlp: {{endpoint: 'http://127.0.0.1:{port}', protocol: http/protobuf, {QUICK}}}\n",
                      interval="100ms")
    agent = start("--simulate", "t4", config=settings)
    wait_ticks(agent, lines, 500)
    agent.wait_page("a spool", lambda p: p.value("warpsight_spool_points", sink="otlp") > 1000)

    # Answers slowly, so that the kill falls into the drain.
    drained = 100
    receiver = peer(lambda request, number: time.sleep(0.005) or Answer(), port=port)
    receiver.wait_taken(drained, METRICS)
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    killed_at = len(receiver.taken(METRICS))
    assert drained <= killed_at < 500, "the kill missed the drain"
    before = {p: None for p in otlp_points.line_points(read_lines(lines))}
    last_tick = max(p.time for p in before)

    again = start("--simulate", "t4", config=settings, after=agent)
    again.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="otlp") == 0)
    again.stop()
    got = received_points([r.body for r in receiver.taken(METRICS)], decode)
    duplicates = in_order(got)
    missing = set(before) - set(got)
    # The one message in memory when the agent was killed may be lost, and no other.
    assert {p.time for p in missing} <= {p.time for p in before if last_tick - p.time < 300_000_000}
    one_message = max(Counter(p.time // 100_000_000 for p in before).values())
    assert duplicates <= one_message * 2
    print(f"{len(got)} points, {duplicates} twice, {len(missing)} lost with the kill")


def waiting(sink, at_least=1):
    return lambda p: (p.value("warpsight_spool_points", sink=sink) or 0) >= at_least


def dropped(page, sink, reason):
    return page.value("warpsight_dropped_total", stage=sink, reason=reason) or 0


def event_names(agent):
    return [event["event"] for event in agent.status()["events"]]


ROUND = f"timeout: 500ms, {QUICK}"


@pytest.mark.parametrize("first", [
    Answer(429, {"Retry-After": "0"}), Answer(429), Answer(503), Answer(502), Answer(504), None],
    ids=lambda a: str(a.status) + str(a.headers) if a else "no answer")
def test_what_may_be_tried_again_is(start, peer, tmp_path, messages, first):
    receiver = peer(lambda request, number: first if len(refused) < 2 and not refused.append(1) else Answer())
    refused = []
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/protobuf, {ROUND}}}\n"))
    receiver.wait_taken(4, METRICS)
    assert len(refused) == 2
    stop_and_compare(agent, tmp_path / "lines.jsonl", lambda: [r.body for r in receiver.taken(METRICS)],
                     decoder(messages))


def test_a_batch_refused_for_good_is_set_aside_with_the_servers_words(start, peer, tmp_path):
    receiver = peer(lambda request, number: Answer(400, {}, b"label name is silly") if number == 0 else Answer())
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/protobuf, logs: false, {ROUND}}}\n"))
    receiver.wait_taken(2, METRICS)
    page = agent.wait_page("the refusal", lambda p: dropped(p, "otlp", "refused") > 0)
    assert page.value("warpsight_sink_failures_total", sink="otlp", error_type="http_400") == 1
    (event,) = [e for e in agent.status()["events"] if e["event"] == "sink.refused"]
    assert "label name is silly" in event["message"]
    kept = list((agent.directory / "state" / "spool" / "otlp" / "refused").iterdir())
    assert any("label name is silly" in path.read_text(errors="replace") for path in kept)


@pytest.mark.parametrize("status", [401, 403])
def test_without_credentials_the_sink_waits_and_keeps_everything(start, peer, tmp_path, messages, status):
    allowed = []
    receiver = peer(lambda request, number: Answer() if allowed else Answer(status, {}, b"who are you?"))
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/protobuf, {ROUND}}}\n"))
    agent.wait_page("a spool", waiting("otlp", 200))
    assert "sink.unauthorized" in event_names(agent)
    allowed.append(True)
    agent.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="otlp") == 0)
    stop_and_compare(agent, tmp_path / "lines.jsonl", lambda: [r.body for r in receiver.taken(METRICS)],
                     decoder(messages))


def test_partial_success_is_counted_and_told(start, peer, tmp_path):
    body = json.dumps({"partialSuccess": {"rejectedDataPoints": "3", "errorMessage": "too much of it"}}).encode()
    receiver = peer(lambda request, number: Answer(200, {"Content-Type": "application/json"}, body)
                    if number == 0 else Answer())
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp: {{endpoint: '{receiver.url}', protocol: http/json, logs: false, {ROUND}}}\n"))
    agent.wait_page("the rejected points", lambda p: dropped(p, "otlp", "rejected") == 3)
    agent.wait_logged("too much of it")


def test_a_slow_peer_delays_nobody(start, peer, tmp_path):
    release = []
    slow = peer(lambda request, number: [time.sleep(0.01) for _ in iter(lambda: bool(release), True)] and Answer()
                or Answer())
    quick = peer()
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp/slow: {{endpoint: '{slow.url}', protocol: http/protobuf, timeout: 60s}}\n"
                  f"  otlp/quick: {{endpoint: '{quick.url}', protocol: http/protobuf}}\n"))
    quick.wait_taken(10, METRICS)
    page = agent.page()
    assert page.value("warpsight_spool_points", sink="otlp/quick") == 0
    agent.wait_page("the slow one's spool", waiting("otlp/slow", 100))
    release.append(True)


def test_grpc_peers_that_ask_to_wait_are_given_time(start, tmp_path, messages):
    import grpc
    calls = []

    def answer(path, body, context):
        calls.append(path)
        if len(calls) == 1:
            context.abort(grpc.StatusCode.UNAVAILABLE, "later, please")
        if len(calls) == 2:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no room")
        return b""
    receiver = GrpcPeer(answer)
    agent = start("--simulate", "t4", config=config(
        tmp_path, f"  otlp: {{endpoint: 'http://127.0.0.1:{receiver.port}', protocol: grpc, logs: false, {ROUND}}}\n"))
    wait_for("exports", lambda: len(receiver.taken()) >= 3)
    page = agent.wait_page("both failures", lambda p: p.value(
        "warpsight_sink_failures_total", sink="otlp", error_type="grpc_resource_exhausted"))
    assert page.value("warpsight_sink_failures_total", sink="otlp", error_type="grpc_unavailable") == 1
    receiver.stop()


def test_a_damaged_spool_costs_the_damage_alone(start, peer, tmp_path, messages):
    port = free_port()
    settings = config(tmp_path, f"  otlp: {{endpoint: 'http://127.0.0.1:{port}', protocol: http/protobuf, {QUICK}}}\n")
    agent = start("--simulate", "t4", config=settings)
    agent.wait_page("a spool", waiting("otlp", 1000))
    agent.stop()
    segments = sorted((agent.directory / "state" / "spool" / "otlp").glob("*.segment"))
    with open(segments[0], "r+b") as segment:
        segment.seek(segments[0].stat().st_size // 2)
        segment.write(b"\xde\xad\xbe\xef" * 8)
    receiver = peer(port=port)
    again = start("--simulate", "t4", config=settings, after=agent)
    again.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="otlp") == 0)
    (event,) = [e for e in again.status()["events"] if e["event"] == "spool.corrupt"]
    assert segments[0].name in event["message"]
    got = received_points([r.body for r in receiver.taken(METRICS)], decoder(messages))
    assert in_order(got) == 0
    assert set(got) & set(otlp_points.line_points(read_lines(tmp_path / "lines.jsonl")))


def mounted_tmpfs(directory, size):
    import subprocess
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)],
                          capture_output=True)
    if done.returncode != 0:
        pytest.skip("a small file system cannot be mounted here (needs root)")


def test_a_full_disk_is_told_survived_and_recovered_from(start, peer, tmp_path, messages):
    import subprocess
    port = free_port()
    small = tmp_path / "small"
    mounted_tmpfs(small, "128k")
    try:
        agent = start("--simulate", "t4", config=config(
            tmp_path, f"  otlp: {{endpoint: 'http://127.0.0.1:{port}', protocol: http/protobuf, {QUICK}}}\n"),
            after=type("Before", (), {"directory": small}))
        agent.wait_page("drops for want of disk", lambda p: dropped(p, "otlp", "no_disk") > 0)
        assert "spool.unwritable" in event_names(agent)
        receiver = peer(port=port)
        agent.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="otlp") == 0)
        taken = len(receiver.taken(METRICS))
        receiver.wait_taken(taken + 3, METRICS)
        assert in_order(received_points([r.body for r in receiver.taken(METRICS)], decoder(messages))) == 0
        agent.stop()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


def test_prometheus_takes_remote_write_and_gives_back_what_was_sent(start, prometheus, tmp_path):
    server = prometheus()
    lines = tmp_path / "lines.jsonl"
    agent = start("--simulate", "8xh100", config=config(
        tmp_path, f"  remote_write: {{url: '{server.url}/api/v1/write'}}\n", interval="1s"))
    wait_ticks(agent, lines, 4)
    agent.stop()
    sent = {(p.time // 10**6, p.value) for p in otlp_points.line_points(read_lines(lines))
            if p.name == "gpu.power.draw" and dict(p.attributes)["gpu.index"] == "3"}
    (series,) = server.query('gpu_power_draw_watts{gpu_index="3"}[1h]')
    assert {(round(float(t) * 1000), float(v)) for t, v in series["values"]} == sent
    assert series["metric"]["job"] == "warpsight" and series["metric"]["simulated"] == "true"
    names = {s["metric"]["__name__"] for s in server.query('{job="warpsight"}')}
    assert {"gpu_energy_consumption_joules_total", "warpsight_sink_duration_seconds_bucket"} <= names
    assert "level=error" not in server.logged()


def test_prometheus_gets_everything_after_it_was_away(start, prometheus, tmp_path):
    port = free_port()
    lines = tmp_path / "lines.jsonl"
    settings = config(tmp_path, f"  remote_write: {{url: 'http://127.0.0.1:{port}/api/v1/write', {QUICK}}}\n")
    agent = start("--simulate", "t4", config=settings)
    wait_ticks(agent, lines, 40)
    server = prometheus(port)
    agent.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="remote_write") == 0)
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    again = start("--simulate", "t4", config=settings, after=agent)
    again.wait_page("an empty spool", lambda p: p.value("warpsight_spool_points", sink="remote_write") == 0)
    again.stop()
    sent = {p.time // 10**6 for p in otlp_points.line_points(read_lines(lines)) if p.name == "warpsight.build"}
    (series,) = server.query("warpsight_build_info[1h]")
    got = {round(float(t) * 1000) for t, _ in series["values"]}
    assert got <= sent and len(sent - got) <= 1


def test_an_ended_series_is_marked_stale(start, prometheus, tmp_path):
    server = prometheus()
    agent = start("--simulate", "lost-gpu", config=config(
        tmp_path, f"  remote_write: {{url: '{server.url}/api/v1/write'}}\n", interval="500ms"))
    agent.wait_page("the loss", lambda p: p.value("gpu_devices", gpu_state="lost") == 1)
    ever = {s["metric"]["gpu_index"] for s in wait_for("GPUs", lambda: server.query(
        "last_over_time(gpu_power_draw_watts[5m])"))}
    wait_for("the lost one to be gone at once, not after five minutes", lambda: {
        s["metric"]["gpu_index"] for s in server.query("gpu_power_draw_watts")} < ever)


def test_the_webhook_is_signed(start, peer, tmp_path):
    receiver = peer()
    secret = tmp_path / "secret"
    secret.write_text("s3cr3t-key\n")
    secret.chmod(0o600)
    start("--simulate", "h200", config=config(tmp_path, (
        f"  webhook: {{url: '{receiver.url}/hook', auth: {{bearer: 'file:{secret}'}}, "
        f"signing: {{secret: 'file:{secret}'}}}}\n")))
    request = receiver.wait_taken(1, "/hook")[0]
    assert request.headers["Authorization"] == "Bearer s3cr3t-key"
    signed = request.headers["X-Warpsight-Timestamp"].encode() + b"." + request.body
    expected = hmac.new(b"s3cr3t-key", signed, hashlib.sha256).hexdigest()
    assert request.headers["X-Warpsight-Signature"] == f"sha256={expected}"
    body = json.loads(request.body)
    assert body["resource"]["host.name"] and body["simulated"] is True
    assert any(p["metric"] == "gpu.power.draw" and p["unit"] == "W" for p in body["points"])


def test_doctor_says_what_each_sink_answered(peer, tmp_path):
    good, bad = peer(), peer(lambda request, number: Answer(401, {}, b"no such token"))
    path = tmp_path / "w.yaml"
    path.write_text(f"""
state_dir: {tmp_path}
sinks:
  otlp: {{endpoint: '{good.url}', protocol: http/protobuf}}
  otlp/locked: {{endpoint: '{bad.url}', protocol: http/protobuf}}
  webhook: {{url: 'http://127.0.0.1:{free_port()}/'}}
""")
    done = run("doctor", "--sinks", "--simulate", "t4", "--config", str(path), check=False)
    assert done.returncode == 1
    assert re.search(r"ok +otlp: .*accepted", done.stdout), done.stdout
    assert re.search(r"MISS otlp/locked: .*not allowed", done.stdout)
    assert "no such token" in done.stdout
    assert re.search(r"MISS webhook: .*not taken now", done.stdout)
    assert [r.path for r in good.taken()] == [METRICS, LOGS]


def test_no_secret_is_ever_said(start, peer, tmp_path):
    """Not in the log at its most talkative, on no page, in no error, not in what doctor prints."""
    secrets = {name: f"Sup3r-{name}-S3cret" for name in ("bearer", "password", "header", "proxy", "signing", "page")}
    broken = peer(lambda request, number: Answer(401, {}, b"go away"))
    text = config(tmp_path, (
        f"  otlp/a: {{endpoint: '{broken.url}', protocol: http/protobuf, auth: {{bearer: '${{S_BEARER}}'}}, {ROUND}}}\n"
        f"  otlp/b: {{endpoint: 'http://127.0.0.1:{free_port()}', protocol: grpc, headers: {{x-api-key: '${{S_HEADER}}'}}, {ROUND}}}\n"
        f"  remote_write: {{url: '{broken.url}/w', auth: {{username: me, password: '${{S_PASSWORD}}'}}, {ROUND}}}\n"
        f"  webhook: {{url: '{broken.url}/h', signing: {{secret: '${{S_SIGNING}}'}}, "
        f"proxy: 'http://user:${{S_PROXY}}@127.0.0.1:{free_port()}', {ROUND}}}\n"),
        more="log: {level: debug}\nlisten_auth: {bearer: '${S_PAGE}'}\n")
    environment = {f"S_{name.upper()}": value for name, value in secrets.items()}
    agent = start("--simulate", "t4", config=text, environment=environment)
    headers = {"Authorization": f"Bearer {secrets['page']}"}
    address = agent.address

    def page():
        agent.died()
        body = agent.fetch("/metrics", headers)[1].decode()
        return body if len(re.findall(r"warpsight_sink_failures_total\{", body)) >= 4 else None
    said = [wait_for("failures of every sink", page)]
    said += [agent.fetch(path, headers)[1].decode() for path in ("/", "/api/v1/status")]
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address + "/metrics")
    assert refused.value.code == 401
    said.append(refused.value.read().decode())
    agent.stop()
    said.append(agent.logged())
    doctor = run("doctor", "--sinks", "--simulate", "t4", "--config", str(agent.config_path), check=False,
                 env={**os.environ, **environment})
    said += [doctor.stdout, doctor.stderr]
    for path in (agent.directory / "state").rglob("*"):
        if path.is_file():
            said.append(path.read_bytes().decode(errors="replace"))
    for name, secret in secrets.items():
        assert not any(secret in text for text in said), name
