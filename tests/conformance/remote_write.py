#!/usr/bin/env python3
"""What a Prometheus that knows remote write 2.0 gives back must be what the agent sent.

The Prometheus is $PROMETHEUS3, or is built with Go (1.24 or newer) into build/peers/. Without either
the check says so and is skipped (exit code 77). Debian's own knows 1.0 alone; `make test` has it.
"""
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import otlp_points  # noqa: E402
from conftest import Agent  # noqa: E402
from peer_builds import find_or_build  # noqa: E402
from peers import Prometheus, read_lines, wait_for  # noqa: E402

SKIPPED = 77
TICKS = 6
MODULE = "github.com/prometheus/prometheus"
VERSION = "v0.305.0"  # 3.5.0
PACKAGE = f"{MODULE}/cmd/prometheus"


def find_prometheus():
    # Its own module has directives that `go install` refuses; as a requirement it is built.
    return find_or_build(
        "prometheus", "PROMETHEUS3",
        {"go.mod": f"module peer\n\ngo 1.24\n\nrequire {MODULE} {VERSION}\n",
         "tools.go": f'//go:build tools\n\npackage peer\n\nimport _ "{PACKAGE}"\n'},
        [["go", "mod", "tidy", "-e"], ["go", "build", "-mod=mod", "-o", "prometheus", PACKAGE]])


def check(binary, version):
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / "state").mkdir()
        lines = directory / "lines.jsonl"
        prometheus = Prometheus(directory / "prometheus", binary=binary)
        agent = Agent(directory, ["--simulate", "8xh100"], f"""
publish_interval: 1s
sinks:
  file: {{path: {lines}}}
  remote_write: {{url: '{prometheus.url}/api/v1/write', version: '{version}'}}
""")
        try:
            wait_for("ticks", lambda: agent.died() or len(
                {line["time"] for line in read_lines(lines) if line.get("metric") == "warpsight.build"}) >= TICKS)
            agent.stop()
            sent = Counter((p.time // 10**6, p.value) for p in otlp_points.line_points(read_lines(lines))
                           if p.kind != "histogram")
            series = [s for s in prometheus.query('{job="warpsight"}[1h]')
                      if s["metric"]["__name__"] != "target_info"
                      and not s["metric"]["__name__"].startswith("warpsight_sink_duration")]
            got = Counter((round(float(t) * 1000), float(v)) for s in series for t, v in s["values"])
            refused = agent.logged().count("speaks remote write 1.0 only")
        finally:
            agent.close()
            prometheus.stop()
        good = got == sent and len(series) > 1000 and refused == 0
        for name, some in (("sent but not there", sent - got), ("there but not sent", got - sent)):
            for item in list(some)[:5]:
                print(f"    {name}: {item}")
        print(f"{'ok  ' if good else 'FAIL'} remote write {version}: {sum(got.values())} samples of {len(series)} series",
              flush=True)
        return good


def main():
    binary = find_prometheus()
    if binary is None:
        print("skipped: no Prometheus 3 (set PROMETHEUS3, or install Go to build one)")
        return SKIPPED
    print(f"against {binary}")
    return 0 if all([check(binary, version) for version in ("2.0", "auto", "1.0")]) else 1


if __name__ == "__main__":
    sys.exit(main())
