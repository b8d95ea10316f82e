#!/usr/bin/env python3
"""How fast a scraped page is read, here and by others, over the same files and in one run.

    bench/prometheus_text_peers.py BENCH [FILE...]

BENCH is the built prometheus_text_bench. Without files it reads the pages that BENCH makes. The peers
are Python's prometheus_client and, built in a scratch folder where there is a Go toolchain and a
module proxy, Prometheus' own parser and VictoriaMetrics'. Says what it skips. Every figure is the best
of many repetitions, on one core: the machine may have other work.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = ("words", "rows", "first_scrape", "later_scrape")


def rows(output):
    for line in output.splitlines():
        parser, name, size, samples, seconds = line.split("\t")
        yield parser, name, int(size), int(samples), float(seconds)


def run_ours(bench, files):
    """The best of several repetitions, in seconds of CPU a page."""
    environment = dict(os.environ, WARPSIGHT_TEXT_BODIES=":".join(files))
    names = "|".join(os.path.basename(path) for path in files)
    output = subprocess.run(
        [bench, f"--benchmark_filter=/({names})$", "--benchmark_repetitions=40",
         "--benchmark_min_time=0.01", "--benchmark_format=json"],
        env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    best = {}
    for result in json.loads(output)["benchmarks"]:
        if result["run_type"] != "iteration":
            continue
        what, name = result["run_name"].split("/", 1)
        seconds = result["cpu_time"] * 1e-9
        best[what, name] = min(seconds, best.get((what, name), seconds))
    return best


def python_peer(files):
    """Debian's package is for Debian's interpreter, which may not be the first in PATH."""
    for python in (sys.executable, "/usr/bin/python3"):
        check = subprocess.run([python, "-c", "import prometheus_client"], capture_output=True, check=False)
        if check.returncode == 0:
            script = os.path.join(HERE, "peers_text", "python_peer.py")
            return list(rows(subprocess.run([python, script, *files], check=True, text=True,
                                            stdout=subprocess.PIPE).stdout))
    print("skipped: python prometheus_client (no python3-prometheus-client)")
    return []


def go_peers(files, scratch):
    if shutil.which("go") is None:
        print("skipped: prometheus and victoriametrics (no go)")
        return []
    folder = os.path.join(scratch, "go")
    shutil.copytree(os.path.join(HERE, "peers_text", "go"), folder)
    build = subprocess.run(["go", "build", "-o", "peers", "."], cwd=folder, text=True, capture_output=True,
                           check=False)
    if build.returncode != 0:
        print("skipped: prometheus and victoriametrics (go build failed)")
        print(build.stderr.strip()[-500:])
        return []
    environment = dict(os.environ, GOMAXPROCS="1")
    return list(rows(subprocess.run([os.path.join(folder, "peers"), *files], check=True, text=True,
                                    env=environment, stdout=subprocess.PIPE).stdout))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    bench = os.path.abspath(sys.argv[1])
    files = [os.path.abspath(path) for path in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as scratch:
        if not files:
            subprocess.run([bench, "--write-bodies", scratch], check=True)
            files = [os.path.join(scratch, name) for name in sorted(os.listdir(scratch))]
        peers = go_peers(files, scratch) + python_peer(files)
        ours = run_ours(bench, files)
        for path in files:
            name = os.path.basename(path)
            size = os.path.getsize(path)
            found = [(parser, samples, seconds) for parser, file, _, samples, seconds in peers if file == name]
            samples = found[0][1] if found else None
            print(f"\n{name}: {size} bytes, {samples or 'unknown'} samples")
            table = [(f"warpsight {what}", ours[what, name], samples) for what in OURS]
            table += [(parser, seconds, count) for parser, count, seconds in found]
            fastest = min((seconds for parser, _, seconds in found), default=None)
            for parser, seconds, count in table:
                rate = f"{count / seconds / 1e6:7.2f} Msamples/s" if count else ""
                ratio = f"{fastest / seconds:7.2f} x the fastest peer" if fastest else ""
                print(f"  {parser:26}{seconds * 1e6:10.1f} us{size / seconds / 1e9:8.3f} GB/s {rate} {ratio}")


if __name__ == "__main__":
    main()
