"""One node of a real Slurm, its GPUs being device files without a driver behind them."""
import contextlib
import json
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
from pathlib import Path

import pytest

from conftest import PATIENCE, wait_for
from peers import free_port

COMMANDS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "scontrol": "slurm-client"}
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
CGROUPS = Path("/sys/fs/cgroup")
NVIDIA_MAJOR = 195
IDLE = "exec sleep infinity"
HOLDING = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED"}


def cgroup_version():
    """1 or 2 where cgroups can be made that keep devices from jobs, else 0."""
    if (CGROUPS / "cgroup.controllers").exists():
        return 2 if os.access(CGROUPS, os.W_OK) else 0
    hierarchies = [CGROUPS / name for name in ("devices", "freezer")]
    return 1 if all((h / "tasks").exists() and os.access(h, os.W_OK) for h in hierarchies) else 0


def why_not(mode):
    """Why no cluster can run here; empty where one can."""
    if os.geteuid() != 0:
        return "Slurm's daemons and device files need root"
    missing = [package for command, package in COMMANDS.items() if not shutil.which(command, path=SYSTEM_PATH)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    return "no cgroups can be made here" if mode == "cgroup" and not cgroup_version() else ""


def identity(user):
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def indices(text):
    """Of Slurm's lists: "0,2-3" is [0, 2, 3]."""
    ranges = [part.split("-") for part in text.split(",") if part]
    return [index for r in ranges for index in range(int(r[0]), int(r[-1]) + 1)]


class SlurmCluster:
    """Daemons of its own with ports, folder and cgroups that no other cluster has.

    mode "cgroup": each job is in cgroups that keep other jobs' GPUs from it; "plain": Slurm makes no cgroup.
    minors: of the devices in the order of gres.conf, by which Slurm counts GPUs whatever their names.
    """

    started = set()  # the modes that have been seen to work on this machine

    def __init__(self, mode="cgroup", minors=(2, 0, 3, 1)):
        reason = why_not(mode)
        if reason:
            pytest.skip(reason)
        self.mode = mode
        self.minors = minors
        self.shards = 2 * len(minors)
        self.node = f"gpunode-{secrets.token_hex(4)}"
        # Not in pytest's folder, which is closed to the users whose jobs run here; short, for it holds sockets.
        self.root = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.config = self.root / "etc" / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.config), "PATH": SYSTEM_PATH, "LC_ALL": "C.UTF-8"}
        self.daemons = {}
        try:
            self.lay_out()
            self.start()
            self.started.add(mode)
        except BaseException:
            self.close()
            raise

    # The folder

    def lay_out(self):
        self.root.chmod(0o755)
        for name in ("etc", "state", "spool", "log", "run", "dev", "work"):
            (self.root / name).mkdir()
        (self.root / "work").chmod(0o1777)
        key = self.root / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        for minor in self.minors:
            try:
                os.mknod(self.device(minor), stat.S_IFCHR, os.makedev(NVIDIA_MAJOR, minor))
            except PermissionError:
                pytest.skip("device files cannot be made here")
            os.chmod(self.device(minor), 0o666)
        self.config.write_text(self.slurm_conf())
        (self.root / "etc" / "gres.conf").write_text("AutoDetect=off\n" + "".join(
            f"NodeName={self.node} Name=gpu Type=h100 File={self.device(minor)}\n" for minor in self.minors)
            + f"NodeName={self.node} Name=shard Count={self.shards}\n")
        (self.root / "etc" / "cgroup.conf").write_text(
            f"CgroupPlugin=cgroup/v{cgroup_version() or 1}\nConstrainDevices=yes\nConstrainCores=no\n"
            "ConstrainRAMSpace=no\n" + ("IgnoreSystemd=yes\n" if cgroup_version() == 2 else ""))

    def device(self, minor):
        return self.root / "dev" / f"nvidia{minor}"

    def slurm_conf(self):
        host = socket.gethostname().split(".")[0]
        slurmd_port = free_port()
        tracking = ("ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup" if self.mode == "cgroup"
                    else "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none")
        gres = f"gpu:h100:{len(self.minors)},shard:{self.shards}"
        # config_overrides: as many CPUs as jobs may want. cred_expire: what a requeued job waits for.
        return f"""\
ClusterName=e2e
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.root}/run/munge.socket,cred_expire=5
StateSaveLocation={self.root}/state
SlurmdSpoolDir={self.root}/spool
SlurmctldPidFile={self.root}/run/slurmctld.pid
SlurmdPidFile={self.root}/run/slurmd.pid
{tracking}
PrologFlags=Alloc,Contain
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=0,sched_interval=1,batch_sched_delay=0
GresTypes=gpu,shard
SlurmdParameters=config_overrides
KillWait=1
ReturnToService=2
NodeName={self.node} NodeHostname={host} NodeAddr=127.0.0.1 Port={slurmd_port} CPUs=64 Gres={gres}
PartitionName=gpu Nodes={self.node} Default=YES MaxTime=INFINITE State=UP
"""

    # Daemons

    def start(self):
        socket_path = self.root / "run" / "munge.socket"
        self.spawn("munged", "--foreground", f"--socket={socket_path}", f"--key-file={self.root}/munge.key",
                   f"--pid-file={self.root}/run/munged.pid", f"--log-file={self.root}/log/munged.own",
                   f"--seed-file={self.root}/munge.seed")
        wait_for("munge's socket", lambda: self.alive() and socket_path.exists())
        self.spawn("slurmd", "-D", "-N", self.node)
        self.start_controller()
        wait_for("the node to be idle", lambda: self.alive() and self.ask("sinfo", "-h", "-o", "%T") == "idle")

    def start_controller(self):
        """Until slurmd has told it of its GPUs, which shows in the shards' type, it would give them out wrongly."""
        self.spawn("slurmctld", "-D")
        wait_for("the controller", lambda: self.alive() and self.ask("sinfo", "-h"))
        self.ask("scontrol", "reconfigure", check=True)
        wait_for("the node to register", lambda: self.alive() and "shard:h100" in self.ask("sinfo", "-h", "-o", "%G"))

    def start_rest(self):
        """The path of the socket at which slurmrestd answers root."""
        if not shutil.which("slurmrestd", path=SYSTEM_PATH):
            pytest.skip("not installed: slurmrestd")
        path = self.root / "work" / "rest.socket"
        if "slurmrestd" not in self.daemons:
            # Its other plugins want a database.
            known = self.run("slurmrestd", "-s", "list", user="nobody")
            plugin = max(re.findall(r"openapi/(v[\d.]+|slurmctld)", known.stdout + known.stderr))
            self.spawn("slurmrestd", "-s", f"openapi/{plugin}", "-a", "rest_auth/local", f"unix:{path}", user="nobody")
            wait_for("slurmrestd's socket", lambda: self.alive() and path.exists())
        return path

    def spawn(self, name, *arguments, user="root"):
        """The daemon's folder is the cluster's own: whatever it starts is known by it."""
        with open(self.root / "log" / name, "wb") as log:
            self.daemons[name] = subprocess.Popen(
                [shutil.which(name, path=SYSTEM_PATH), *arguments], cwd=self.root, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **identity(user))

    def alive(self):
        """True, or the test ends: it is skipped where this machine's cgroups have never been of use to slurmd."""
        unproven = self.mode == "cgroup" and cgroup_version() == 2 and self.mode not in self.started
        for name, daemon in self.daemons.items():
            if daemon.poll() is not None:
                said = (self.root / "log" / name).read_text(errors="replace")[-2000:]
                if name == "slurmd" and unproven:
                    pytest.skip(f"slurmd cannot use this machine's cgroups: {said}")
                pytest.fail(f"{name} ended with {daemon.returncode}:\n{said}")
        return True

    def stop(self, name, sent=signal.SIGTERM):
        daemon = self.daemons.pop(name)
        daemon.send_signal(sent)
        daemon.wait(PATIENCE)

    def close(self):
        for name in list(self.daemons):
            self.stop(name, signal.SIGKILL)
        wait_for("what they started to end", self.end_processes)
        self.remove_cgroups()
        shutil.rmtree(self.root)

    def end_processes(self):
        """True when no process lives whose folder is in the cluster's."""
        found = False
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                pid = int(entry.name)
                folder = Path(os.readlink(entry / "cwd"))
                if self.root in (folder, *folder.parents):
                    found = True
                    os.kill(pid, signal.SIGKILL)
        return not found

    def remove_cgroups(self):
        tops = [*CGROUPS.glob(f"*{self.node}*"), *CGROUPS.glob(f"*/*{self.node}*")]
        for top in tops:
            for folder, _, _ in os.walk(top, topdown=False):
                wait_for(f"{folder} to be empty", lambda: self.removed(folder))

    @staticmethod
    def removed(folder):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
        return not os.path.exists(folder)

    # Commands

    def run(self, *command, user="root"):
        return subprocess.run(command, cwd=self.root / "work", env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE, **identity(user))

    def ask(self, *command, user="root", check=False):
        """What the command writes; empty where it fails."""
        done = self.run(*command, user=user)
        assert done.returncode == 0 or not check, f"{command}: {done.stderr}"
        return done.stdout.strip() if done.returncode == 0 else ""

    def submit(self, gres=None, script=IDLE, array=None, name="job", account=None, user="nobody", options=()):
        """The job's id; of an array, the array's."""
        options = [f"--job-name={name}", "--output=%j.out", *options]
        options += [f"--gres={gres}"] if gres else []
        options += [f"--array={array}"] if array else []
        options += [f"--account={account}"] if account else []
        path = self.root / "work" / f"{secrets.token_hex(4)}.sh"
        path.write_text(f"#!/bin/bash\n{script}\n")
        return int(self.ask("sbatch", "--parsable", *options, str(path), user=user, check=True))

    def cancel(self, job):
        self.ask("scancel", str(job), check=True)

    def requeue(self, job):
        self.ask("scontrol", "requeue", str(job), check=True)

    def kill(self, job):
        """Ends the job's processes without Slurm's help."""
        for pid in self.pids(job):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def jobs(self):
        """What the controller says of each job it knows: {id: its fields}."""
        answer = json.loads(self.ask("squeue", "--states=all", "--json", check=True))
        return {job["job_id"]: job for job in answer["jobs"]}

    def state(self, job):
        """Of one job, or of an array whose tasks have not begun; empty when it is unknown."""
        lines = self.ask("squeue", "-h", "--states=all", "-j", str(job), "-o", "%A %T").split("\n")
        return dict(line.split() for line in lines if line).get(str(job), "")

    def tasks(self, array):
        """The ids of an array's running tasks: {task: job id}."""
        lines = self.ask("squeue", "-h", "--states=RUNNING", "-j", str(array), "-o", "%K %A").split("\n")
        return {int(task): int(job) for task, job in (line.split() for line in lines if line)}

    def processes(self, job):
        """Those that the job's owner started: {step: process ids}."""
        found = {}
        for line in self.ask("scontrol", "listpids", str(job), self.node).split("\n")[1:]:
            pid, _, step, *_ = line.split()
            if step != "extern" and int(pid) > 0:
                found.setdefault(step, []).append(int(pid))
        return found

    def pids(self, job):
        return sorted(sum(self.processes(job).values(), []))

    def wait_running(self, job, steps=("batch",)):
        """Its processes' ids, when it runs and each of the steps has some."""
        def found():
            self.alive()
            processes = self.processes(job) if self.state(job) == "RUNNING" else {}
            return sorted(sum(processes.values(), [])) if set(steps) <= set(processes) else None
        return wait_for(f"job {job} to run, which is {self.state(job)}", found)

    def wait_ended(self, job):
        wait_for(f"job {job} to end", lambda: self.alive() and self.state(job) not in {"PENDING", *HOLDING})

    def clear(self):
        """Ends all jobs."""
        self.ask("scancel", f"--nodelist={self.node}")
        self.ask("scancel", "--state=PENDING", "--partition=gpu")
        wait_for("all jobs to end", lambda: self.alive() and not self.ask("squeue", "-h", "-o", "%i"))

    def holders(self):
        """Who holds which GPU, as the controller says: {minor: {job id, ...}}."""
        held = {minor: set() for minor in self.minors}
        for number, job in self.jobs().items():
            states = job["job_state"] if isinstance(job["job_state"], list) else [job["job_state"]]
            if "RUNNING" not in states:
                continue
            for detail in job["gres_detail"]:
                for listed in re.findall(r"\(IDX:([\d,-]*)\)", detail):
                    for index in indices(listed):
                        held[self.minors[index]].add(number)
        return held
