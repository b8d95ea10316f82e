"""One node of a real Slurm with GPUs that are device files and nothing more."""
import contextlib
import fcntl
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from conftest import wait_for
from peers import free_port

DAEMONS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd"}
NVIDIA_MAJOR = 195
CGROUPS = Path("/sys/fs/cgroup")
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# A file beside the spool of all clusters: while one starts, it is the only one that picks ports.
LOCK = Path(tempfile.gettempdir()) / "slurm-cluster.lock"


def which(command):
    return shutil.which(command, path=SYSTEM_PATH)


def why_not():
    """Why no cluster can run here; empty where one can."""
    if os.geteuid() != 0:
        return "Slurm's daemons need root"
    missing = [package for daemon, package in DAEMONS.items() if not which(daemon)]
    return f"not installed: {', '.join(missing)}" if missing else ""


def cgroup_version():
    """1 or 2 where a cluster can make cgroups that keep devices from jobs, else 0."""
    if (CGROUPS / "cgroup.controllers").exists():
        return 2 if os.access(CGROUPS / "cgroup.subtree_control", os.W_OK) else 0
    controllers = [CGROUPS / name for name in ("devices", "freezer")]
    return 1 if all((c / "cgroup.procs").exists() and os.access(c, os.W_OK) for c in controllers) else 0


class SlurmCluster:
    """`minors`: of the device behind each File= line of gres.conf, in its order.

    mode "cgroup": jobs are kept in cgroups, other jobs' devices from them; "plain": no cgroup at all.
    """

    def __init__(self, mode="cgroup", minors=(3, 1, 0, 2), shards=0):
        reason = why_not()
        if reason:
            pytest.skip(reason)
        if mode == "cgroup" and not cgroup_version():
            pytest.skip("Slurm can make no cgroups here")
        self.mode = mode
        self.minors = minors
        self.shards = shards
        self.node = f"gpunode-{secrets.token_hex(3)}"
        # pytest's own folders are closed to the users who submit jobs.
        self.root = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.conf = self.root / "etc" / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.conf), "PATH": SYSTEM_PATH, "LC_ALL": "C"}
        self.daemons = {}
        try:
            self.lay_out()
            with open(LOCK, "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.write_configuration()
                self.start_daemons()
        except BaseException:
            self.close()
            raise
