"""A command in namespaces of its own (processes, mounts, network), where it may do as on a machine of its own.

Nothing of it is left when its first process ends, however that comes. What has no namespace, the kernel's
settings and the control groups of pods, is put back here.
"""
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr", "runc", "unshare", "ip", "mount", "openssl")
# What a kubelet sets as it likes.
SETTINGS = [Path("/proc/sys") / name for name in (
    "vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")]
GROUPS = Path("/sys/fs/cgroup")
NAMESPACES = ["--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"]
# Reaps what is orphaned, as the first process of a machine does.
INIT = ["bash", "-c", '"$@"; exit $?', "init"]
MOUNTED = [Path("/var/lib/kubelet"), Path("/var/lib/containerd")]  # places that must be there to be hidden


def missing():
    """Why no cluster can be had here; empty when one can."""
    if os.geteuid() != 0:
        return "it needs root"
    absent = [program for program in PROGRAMS if not shutil.which(program)]
    if absent:
        return f"{', '.join(absent)} not installed (Debian: containerd, runc, iproute2, openssl)"
    try:
        import grpc  # noqa: F401
    except ImportError:
        return "python3-grpcio is not installed"
    if not (GROUPS / "cgroup.controllers").exists() and not (GROUPS / "memory").exists():
        return "no control groups are mounted in /sys/fs/cgroup"
    if pod_groups():
        return f"a kubelet works on this machine, or one left {pod_groups()[0]}"
    if subprocess.run(["unshare", *NAMESPACES, "true"], capture_output=True).returncode != 0:
        return "no namespaces can be made here"
    return ""


def pod_groups():
    return [group for pattern in ("kubepods*", "*/kubepods*") for group in GROUPS.glob(pattern)]


def remove_groups():
    """Control groups of pods that have ended."""
    for top in pod_groups():
        for path, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(path)


def apart(command, environment):
    """The exit code of a command run in namespaces of its own; the machine is then as it was."""
    settings = {path: path.read_text() for path in SETTINGS if path.exists()}
    made = [path for path in MOUNTED if not path.exists()]
    for path in made:
        path.mkdir(parents=True)
    scratch = tempfile.mkdtemp(prefix="warpsight-k8s-")
    child = subprocess.Popen(["unshare", *NAMESPACES, *INIT, *command],
                             env={**os.environ, **environment, "CLUSTER_DIRECTORY": scratch})
    try:
        return child.wait()
    except KeyboardInterrupt:
        return 130
    finally:
        child.kill()
        child.wait()
        for path, text in settings.items():
            path.write_text(text)
        end = time.monotonic() + 10
        while pod_groups() and time.monotonic() < end:
            remove_groups()
            time.sleep(0.1)
        shutil.rmtree(scratch, ignore_errors=True)
        for path in made:
            with contextlib.suppress(OSError):
                path.rmdir()
