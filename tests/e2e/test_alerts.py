"""Alerts from a rule to an Alertmanager, a webhook, the page's documents; silences and restarts."""
import json
import shutil
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

from conftest import PATIENCE, run, wait_for
from engine_pages import EngineServer, Vllm
from peers import HttpPeer, Prometheus, free_port

RULES = """
rules:
  - name: QueueLong
    severity: error
    when: {metric: llm.requests.waiting, above: 5}
    for: 1s
    keep_firing: 1s
    labels: {team: serving}
    summary: "{{ value }} requests wait for {{ model.name }}"
    description: "Add a replica."
  - name: QueueThere
    when: {metric: llm.requests.waiting, above: 5}
    for: 1s
    summary: "beside the other"
"""


class Alertmanager:
    """Debian's Alertmanager."""

    def __init__(self, directory):
        binary = shutil.which("prometheus-alertmanager")
        if not binary:
            pytest.skip("prometheus-alertmanager is not installed")
        directory.mkdir()
        config = directory / "alertmanager.yml"
        config.write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
        self.port = free_port()
        self.log = open(directory / "log", "wb")
        self.process = subprocess.Popen(
            [binary, f"--config.file={config}", f"--storage.path={directory / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}", "--cluster.listen-address="],
            stdout=self.log, stderr=self.log)
        wait_for("the Alertmanager", self.ready)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/api/v2/alerts"

    def ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=PATIENCE) as reply:
                return reply.status == 200
        except OSError:
            return False

    def alerts(self, **labels):
        with urllib.request.urlopen(self.url, timeout=PATIENCE) as reply:
            return [a for a in json.loads(reply.read()) if labels.items() <= a["labels"].items()]

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


@pytest.fixture
def alertmanager(tmp_path):
    peer = Alertmanager(tmp_path / "alertmanager")
    yield peer
    peer.stop()


class Queue:
    """An engine whose queue the test moves, and a config whose one rule watches it."""

    def __init__(self, directory, more=""):
        self.vllm = Vllm("tiny")
        self.server = EngineServer({"/metrics": self.vllm.page})
        rules = directory / "rules.yaml"
        rules.write_text(RULES)
        self.config = f"""
publish_interval: 300ms
alerts: {{rules: [{rules}]}}
sources:
  host: {{enabled: false}}
  kmsg: {{enabled: false}}
  nvml: {{enabled: false}}
  scrape: {{period: 1s, discover: false, endpoints: ["http://127.0.0.1:{self.server.port}/metrics"]}}
{more}"""

    def set(self, waiting):
        self.vllm.engines[0]["waiting"] = waiting


@pytest.fixture
def queue(tmp_path):
    made = []

    def make(more=""):
        made.append(Queue(tmp_path, more))
        return made[-1]
    yield make
    for one in made:
        one.server.close()


def alerts(agent, name="QueueLong"):
    try:
        found = json.loads(agent.fetch("/api/v1/alerts")[1])["alerts"]
    except urllib.error.HTTPError:
        return []
    return [a for a in found if a["name"] == name]


def state(agent):
    found = alerts(agent)
    return found[0]["state"] if found else None


def call(agent, method, path, document=None, headers=None):
    body = json.dumps(document).encode() if document is not None else None
    request = urllib.request.Request(agent.address + path, body, method=method,
                                     headers={"Content-Type": "application/json", **(headers or {})})
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        return reply.status, reply.read()


def test_an_alert_fires_and_resolves_in_a_real_alertmanager(start, queue, alertmanager):
    engine = queue(f"sinks: {{alertmanager: {{enabled: true, url: '{alertmanager.url}', resend: 1s}}}}")
    agent = start(config=f"{engine.config}\nhost_name: node7\n")
    wait_for("the engine", lambda: json.loads(agent.fetch("/api/v1/now")[1])["engines"])
    engine.set(waiting=9)
    fired = wait_for("the alert to arrive", lambda: alertmanager.alerts(alertname="QueueLong"))[0]
    assert fired["labels"]["severity"] == "error" and fired["labels"]["team"] == "serving"
    assert fired["labels"]["model_name"] == "tiny" and fired["labels"]["host_name"] == "node7"
    assert fired["annotations"] == {"summary": "9 requests wait for tiny", "description": "Add a replica."}
    assert state(agent) == "firing"
    engine.set(waiting=0)
    wait_for("the alert to be gone there", lambda: not alertmanager.alerts(alertname="QueueLong"))
    assert state(agent) == "resolved"


def test_events_tell_of_it_to_a_webhook(start, queue):
    hook = HttpPeer()
    engine = queue(f"sinks: {{webhook: {{enabled: true, events_only: true, url: '{hook.url}'}}}}")
    agent = start(config=engine.config)
    engine.set(waiting=9)

    def told():
        events = [e for r in hook.taken() for e in json.loads(r.body)["events"]]
        return {e["event"] for e in events if e["attributes"].get("alert.name") == "QueueLong"}
    wait_for("firing", lambda: "alert.firing" in told())
    engine.set(waiting=0)
    wait_for("resolved", lambda: "alert.resolved" in told())
    agent.stop()
    hook.stop()


def test_it_goes_on_over_a_restart(start, queue):
    engine = queue()
    engine.set(waiting=9)
    agent = start(config=engine.config)
    wait_for("firing", lambda: state(agent) == "firing")
    before = alerts(agent)[0]
    agent.stop()
    agent = start(config=engine.config, after=agent)
    after = wait_for("the alert", lambda: alerts(agent))[0]
    assert (after["id"], after["since"], after["fired"]) == (before["id"], before["since"], before["fired"])
    agent.stop()
    engine.set(waiting=0)
    agent = start(config=engine.config, after=agent)
    wait_for("it to resolve though the agent was away", lambda: state(agent) == "resolved")


def test_a_silence_is_kept_and_ends(start, queue, alertmanager):
    engine = queue(f"sinks: {{alertmanager: {{enabled: true, url: '{alertmanager.url}', resend: 1s}}}}")
    agent = start(config=engine.config)
    status, body = call(agent, "POST", "/api/v1/silences",
                        {"match": ["alert.name=QueueLong"], "for": 3600, "comment": "known"})
    assert status == 201
    silence = json.loads(body)["id"]
    engine.set(waiting=9)
    wait_for("firing", lambda: state(agent) == "firing")
    assert alerts(agent)[0]["silenced"]
    agent.stop()
    agent = start(config=engine.config, after=agent)
    wait_for("the alert", lambda: alerts(agent))
    assert alerts(agent)[0]["silenced"], "a silence outlives a restart"
    wait_for("the alert beside it to arrive", lambda: alertmanager.alerts(alertname="QueueThere"))
    assert not alertmanager.alerts(alertname="QueueLong")
    assert call(agent, "DELETE", f"/api/v1/silences?id={urllib.parse.quote(silence)}")[0] == 204
    wait_for("the alert to arrive now", lambda: alertmanager.alerts(alertname="QueueLong"))


def test_other_sites_cannot_silence(start, queue):
    agent = start(config=queue().config)
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Content-Type": "text/plain"}):
        with pytest.raises(urllib.error.HTTPError) as refused:
            call(agent, "POST", "/api/v1/silences", {"match": ["a=b"], "for": 60}, headers)
        assert refused.value.code in (403, 415)


def test_a_mistake_in_a_rule_is_told_with_its_line(start, queue, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("rules:\n  - name: X\n    wehn: {metric: gpu.utilization, above: 1}\n    summary: x\n")
    done = run("rules", "--check", str(bad), check=False)
    assert done.returncode == 3 and "bad.yaml:3:" in done.stderr and "when" in done.stderr
    engine = queue()
    agent = start(config=engine.config)
    agent.wait_logged("page: http")
    agent.write_config(engine.config.replace("rules.yaml", "bad.yaml"))
    agent.process.send_signal(signal.SIGHUP)
    agent.wait_logged("the old one stays in force")


def test_prometheus_says_the_same_of_what_it_scrapes(start, queue, tmp_path):
    engine = queue()
    engine.set(waiting=9)
    agent = start(config=engine.config)
    rules = tmp_path / "generated.yml"
    rules.write_text(run("rules", "--prometheus", "--config", str(agent.config_path)).stdout
                     .replace("interval: 300ms", "interval: 1s"))
    subprocess.run(["promtool", "check", "rules", str(rules)], check=True, capture_output=True)
    target = agent.address.removeprefix("http://")
    prometheus = Prometheus(tmp_path / "prometheus", scrape=(
        f"  - {{job_name: warpsight, static_configs: [{{targets: ['{target}']}}]}}\nrule_files: ['{rules}']\n"))
    try:
        firing = wait_for("the alert there", lambda: prometheus.query(
            'ALERTS{alertname="QueueLong",alertstate="firing"}'))
        assert len(firing) == 1 and firing[0]["metric"]["model_name"] == "tiny"

        def ours():
            told = json.loads(agent.fetch("/api/v1/alerts")[1])["alerts"]
            return {a["name"] for a in told if a["state"] == "firing"}

        def theirs():
            return {a["metric"]["alertname"] for a in prometheus.query('ALERTS{alertstate="firing"}')}
        wait_for("both to say the same", lambda: ours() == theirs() == {"QueueLong", "QueueThere"})
        engine.set(waiting=0)
        wait_for("it to resolve there", lambda: not prometheus.query('ALERTS{alertname="QueueLong"}'))
        wait_for("it to resolve here", lambda: state(agent) == "resolved")
    finally:
        prometheus.stop()
