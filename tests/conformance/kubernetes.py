#!/usr/bin/python3
"""Whose GPUs they are, as the agent tells it, must be what a real Kubernetes says.

kubernetes.py [CHECK...]        runs these checks, or all
kubernetes.py --record FOLDER   writes down what the cluster answers, as data for other tests

kubelet, API server and etcd are built with Go (see kubernetes_builds.py); containerd and runc are the
system's. They run in namespaces of their own and leave nothing behind. It takes root. Where it cannot
be done, that is said, and the exit code is 77.
"""
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import pytest  # noqa: E402

import kubernetes_bench  # noqa: E402
import kubernetes_builds  # noqa: E402
import kubernetes_checks  # noqa: E402
import kubernetes_recordings  # noqa: E402
from kubernetes_apart import apart, missing  # noqa: E402
from kubernetes_node import DEVICES, DRA_DRIVER, publish_slice  # noqa: E402
from kubernetes_peers import Cluster  # noqa: E402

SKIPPED = 77
# What the agent may do is what the manifest grants it.
(RULES,) = (thing["rules"] for thing in kubernetes_checks.MANIFEST if thing["kind"] == "ClusterRole")
KUBELET_RULES = [{"apiGroups": [""], "resources": ["nodes/pods"], "verbs": ["get"]}]


def why(error):
    """Of a failure, with the place in the check where it came up."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename in (kubernetes_checks.__file__, kubernetes_bench.__file__)]
    places = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} at {places}: {error}"


def attempt(check, cluster, number):
    began = time.monotonic()
    bench = kubernetes_bench.Bench(cluster, cluster.directory / f"check-{number}")
    bench.directory.mkdir()
    failure = ""
    try:
        bench.set_token(cluster.token("warpsight", f"check-{number}"))
        check(bench)
    except (Exception, pytest.fail.Exception) as error:
        failure = f"{why(error)}\n{bench.logged()}"
    finally:
        bench.close()
    print(f"FAILED {check.__name__}: {failure}" if failure
          else f"ok {check.__name__} ({time.monotonic() - began:.0f} s)", flush=True)
    return not failure


def inside(arguments):
    """In the namespaces: the exit code."""
    began = time.monotonic()
    cluster = Cluster(json.loads(os.environ["CLUSTER_PROGRAMS"]), DEVICES, DRA_DRIVER)
    memory = ", ".join(f"{server.name} {server.memory() >> 20} MiB" for server in cluster.servers)
    print(f"Kubernetes {kubernetes_builds.VERSION} is up after {time.monotonic() - began:.1f} s: {memory}", flush=True)
    try:
        if arguments[:1] == ["--record"]:
            kubernetes_recordings.record(cluster, arguments[1])
            return 0
        publish_slice(cluster)
        cluster.namespace("team-b")
        for name, rules in (("warpsight", RULES), ("nobody", []), ("kubelet-reader", KUBELET_RULES)):
            cluster.account(name, rules)
        chosen = [check for check in kubernetes_checks.CHECKS if not arguments or check.__name__ in arguments]
        results = [attempt(check, cluster, number) for number, check in enumerate(chosen)]
        return 0 if results and all(results) else 1
    finally:
        cluster.stop()


def main():
    if "CLUSTER_DIRECTORY" in os.environ:
        return inside(sys.argv[1:])
    reason = missing()
    programs = {} if reason else kubernetes_builds.programs()
    absent = [name for name, path in programs.items() if path is None]
    if absent:
        reason = f"no {', '.join(absent)} (install Go 1.24 or newer to build it; the module proxy must answer)"
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return apart([sys.executable, __file__, *sys.argv[1:]], {"CLUSTER_PROGRAMS": json.dumps(programs)})


if __name__ == "__main__":
    sys.exit(main())
