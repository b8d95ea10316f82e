#!/usr/bin/env python3
"""What a real OpenTelemetry Collector got must be what the agent sent, point by point.

The Collector is $OTELCOL, or is built with Go (1.24 or newer) from collector.builder.yaml into
build/peers/. Without any of these the check says so and is skipped
(exit code 77).
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import otlp_points  # noqa: E402
from conftest import Agent  # noqa: E402
from peer_builds import find_or_build  # noqa: E402
from peers import Certificates, free_port, read_lines, wait_for  # noqa: E402

SKIPPED = 77
TICKS = 5
BUILDER = "go.opentelemetry.io/collector/cmd/builder@v0.138.0"


def find_collector():
    config = "collector.builder.yaml"
    return find_or_build("otelcol", "OTELCOL", {config: (HERE / config).read_text()},
                         [["go", "run", BUILDER, "--config", config]])


class Collector:
    def __init__(self, binary, directory, certificates):
        self.output = directory / "received.jsonl"
        self.grpc, self.http = free_port(), free_port()
        tls = (f"{{cert_file: {certificates.path('server.pem')}, key_file: {certificates.path('server.key')}, "
               f"client_ca_file: {certificates.path('ca.pem')}}}") if certificates else None
        settings = f", tls: {tls}" if tls else ""
        config = directory / "collector.yaml"
        config.write_text(f"""
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{self.grpc}"{settings}}}
      http: {{endpoint: "127.0.0.1:{self.http}"{settings}}}
exporters:
  file: {{path: {self.output}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    metrics: {{receivers: [otlp], exporters: [file]}}
    logs: {{receivers: [otlp], exporters: [file]}}
""")
        self.log = open(directory / "collector.log", "wb")
        self.process = subprocess.Popen([binary, "--config", f"file:{config}"], stdout=self.log, stderr=self.log)
        wait_for("the Collector to be ready",
                 lambda: b"Everything is ready" in (directory / "collector.log").read_bytes())

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()

    def received(self):
        return [json.loads(line) for line in self.output.read_text().splitlines()]


def sink(protocol, compression, collector, certificates):
    scheme = "https" if certificates else "http"
    port = collector.grpc if protocol == "grpc" else collector.http
    tls = (f"tls: {{ca: {certificates.path('ca.pem')}, certificate: {certificates.path('client.pem')}, "
           f"key: {certificates.path('client.key')}}}, ") if certificates else ""
    return (f"{{endpoint: '{scheme}://localhost:{port}', protocol: {protocol}, "
            f"{tls}compression: {compression}}}")


def compare(what, sent, got):
    """Says how the two differ, by a few examples; true when they do not."""
    missing, surplus = set(sent) - set(got), set(got) - set(sent)
    repeated = len(got) - len(set(got))
    for name, some in ((f"{what} sent but not received", missing), (f"{what} received but never sent", surplus)):
        for item in sorted(some, key=str)[:5]:
            print(f"    {name}: {item}")
    if repeated:
        print(f"    {repeated} {what} received twice")
    return not (missing or surplus or repeated)


def enough(lines):
    return (len({line["time"] for line in lines if line.get("metric") == "warpsight.build"}) >= TICKS
            and any(line.get("event") == "gpu.lost" for line in lines))


def check(binary, protocol, compression, mutual):
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        certificates = Certificates(directory / "certificates") if mutual else None
        collector = Collector(binary, directory, certificates)
        (directory / "state").mkdir()
        lines = directory / "lines.jsonl"
        scenario = directory / "scenario.yaml"  # a GPU is lost, so that there are events
        scenario.write_text((ROOT / "scenarios" / "lost-gpu.yaml").read_text().replace("at: 20s", "at: 3s"))
        agent = Agent(directory, ["--simulate", str(scenario)], f"""
publish_interval: 1s
attributes: {{k8s.cluster.name: test}}
sinks:
  file: {{path: {lines}}}
  otlp: {sink(protocol, compression, collector, certificates)}
""")
        try:
            wait_for("ticks and the loss", lambda: agent.died() or enough(read_lines(lines)))
            agent.stop()
        finally:
            agent.close()
            collector.stop()
        received, said = collector.received(), read_lines(lines)
        sent = otlp_points.line_points(said)
        got = [point for export in received for point in otlp_points.points(export)]
        events = otlp_points.line_records(said)
        logs = [record for export in received for record in otlp_points.records(export)]
        good = compare("points", sent, got) & compare("events", events, logs)
        kinds = {kind: sum(p.kind == kind for p in got) for kind in sorted({p.kind for p in got})}
        resources = {attributes for export in received for attributes, _, _ in otlp_points.metrics(export)}
        good &= len(resources) == 1 and {"host.name", "service.name", "k8s.cluster.name"} <= {
            key for key, _ in next(iter(resources))}
        print(f"{'ok  ' if good else 'FAIL'} {protocol:13} {compression:5} {'mTLS' if mutual else 'plain'}: "
              f"{len(got)} points {kinds}, {len(logs)} log records", flush=True)
        return good and len(got) > 0 and len(logs) > 0


def main():
    binary = find_collector()
    if binary is None:
        print("skipped: no OpenTelemetry Collector (set OTELCOL, or install Go to build one)")
        return SKIPPED
    print(f"against {binary}")
    results = [check(binary, protocol, compression, mutual)
               for protocol in ("grpc", "http/protobuf", "http/json")
               for compression, mutual in (("none", False), ("gzip", True), ("zstd", False))]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
