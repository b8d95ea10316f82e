#!/usr/bin/env python3
"""What the agent costs on a node of 8 simulated GPUs, sampled every second and scraped every ten.

    bench/footprint.py [--seconds 60]

Memory is the proportional set size of agent and probe together, CPU time the scheduler's own account
of every thread. The probe's share includes the simulated driver, so it is an upper bound. Debian's
node_exporter, scraped as often, stands beside it for scale. Exits 1 over a limit.
"""
import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MB = 40  # with history, alerts and page, which are on by default
LIMIT_CPU_PERCENT = 0.2
SCRAPE_SECONDS = 10


def pss_mb(pid):
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1]) / 1024


def cpu_seconds(pid):
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def children(pid):
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        found.update(int(child) for child in (task / "children").read_text().split())
    return sorted(found)


def get(url):
    return urllib.request.urlopen(url, timeout=10).read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url):
    for _ in range(500):
        try:
            return get(url)
        except OSError:
            time.sleep(0.02)
    sys.exit(f"{url} does not answer")


class Subject:
    def __init__(self, name, command, url, log):
        self.name, self.url = name, url
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(url)

    def pids(self):
        return [self.process.pid, *children(self.process.pid)]

    def cpu(self):
        return [cpu_seconds(pid) for pid in self.pids()]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--binary", default=str(ROOT / "build" / "warpsight"))
    options = parser.parse_args()
    directory = tempfile.TemporaryDirectory()
    log = open(Path(directory.name) / "log", "wb")
    config = Path(directory.name) / "c.yaml"
    config.write_text(f"state_dir: {directory.name}\npublish_interval: 10s\n"
                      "sources: {nvml: {period: 1s}, host: {period: 1s}}\n")
    port = free_port()
    subjects = [Subject("warpsight", [options.binary, "run", "--simulate", "8xh100", "--config", str(config),
                                      "--listen", f"127.0.0.1:{port}"],
                        f"http://127.0.0.1:{port}/metrics", log)]
    if shutil.which("prometheus-node-exporter"):
        port = free_port()
        subjects.append(Subject("node_exporter", ["prometheus-node-exporter",
                                                  f"--web.listen-address=127.0.0.1:{port}"],
                                f"http://127.0.0.1:{port}/metrics", log))
    else:
        print("node_exporter is not installed (Debian package prometheus-node-exporter): left out")

    time.sleep(3)
    before = [subject.cpu() for subject in subjects]
    began = time.monotonic()
    series = {}
    while time.monotonic() - began < options.seconds:
        time.sleep(SCRAPE_SECONDS)
        for subject in subjects:
            body = get(subject.url).decode()
            series[subject.name] = sum(1 for line in body.splitlines() if line and line[0] != "#")
    elapsed = time.monotonic() - began

    print(f"{'':<24} {'Pss MB':>8} {'CPU %':>8} {'series':>8}")
    failed = False
    for subject, start in zip(subjects, before):
        pids, end = subject.pids(), subject.cpu()
        memory = [pss_mb(pid) for pid in pids]
        cpu = [100 * (b - a) / elapsed for a, b in zip(start, end)]
        for pid, mb, percent in zip(pids, memory, cpu):
            if len(pids) > 1:
                role = "agent" if pid == pids[0] else "probe and fake driver"
                print(f"  {role:<22} {mb:8.1f} {percent:8.3f}")
        print(f"{subject.name:<24} {sum(memory):8.1f} {sum(cpu):8.3f} {series[subject.name]:8d}")
        if subject.name == "warpsight":
            failed = sum(memory) > LIMIT_MB or sum(cpu) > LIMIT_CPU_PERCENT
        subject.stop()
    print(f"limits for warpsight: {LIMIT_MB} MB, {LIMIT_CPU_PERCENT} % of a core: "
          f"{'MISSED' if failed else 'kept'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
