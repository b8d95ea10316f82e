"""Whose the GPUs of a plain machine are: real processes of this one on simulated GPUs."""
import json
import os
import pwd
import subprocess

import pytest
import yaml
from conftest import run, wait_for

GPUS = 2
CONFIG = """
publish_interval: 1s
tenant: [slurm.account, process.owner]
sources:
  nvml: {period: 500ms}
  processes: {enabled: true}
"""


class Node:
    """GPUs of a scenario, and this machine's processes on them as the fake driver lists them."""

    def __init__(self, directory):
        self.listed = directory / "processes"
        self.scenario = directory / "node.yaml"
        self.scenario.write_text(yaml.safe_dump({
            "name": "owners",
            "gpus": [{"model": "h100", "uuid": f"GPU-{i}", "load": 0.5} for i in range(GPUS)],
            "processes_from": str(self.listed),
        }))
        self.lines = {}
        self.children = []
        self.write()

    def write(self):
        new = self.listed.with_suffix(".new")
        new.write_text("".join(f"{gpu} {pid} {memory} {share}\n"
                               for (gpu, pid), (memory, share) in self.lines.items()))
        new.rename(self.listed)

    def begin(self, *gpus, memory=1024, share=25, user=None):
        child = subprocess.Popen(["sleep", "600"], user=user)
        self.children.append(child)
        for gpu in gpus:
            self.lines[gpu, child.pid] = memory, share
        self.write()
        return child

    def end(self, child):
        child.kill()
        child.wait()
        self.lines = {(gpu, pid): rest for (gpu, pid), rest in self.lines.items() if pid != child.pid}
        self.write()

    def close(self):
        for child in self.children:
            child.kill()
            child.wait()


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    yield made
    made.close()


def owners(page, gpu):
    return [labels for name, labels, _ in page.samples
            if name == "gpu_owner_info" and labels["gpu_index"] == str(gpu)]


def test_a_process_owns_the_gpu_it_is_alone_on(start, node):
    child = node.begin(1)
    agent = start("--simulate", str(node.scenario), config=CONFIG)
    page = agent.wait_page("the owner", lambda p: owners(p, 1) and all(p.values(
        name, process_pid=str(child.pid)) for name in ("gpu_memory_used_bytes", "gpu_process_memory_used_bytes")))
    owner, = owners(page, 1)
    assert owner["owner_kind"] == "process"
    assert owner["owner_evidence"] == "proc"
    assert owner["process_pid"] == str(child.pid)
    assert owner["process_executable_name"] == "sleep"
    assert owner["process_owner"] == owner["tenant"] == pwd.getpwuid(os.getuid()).pw_name
    assert not owners(page, 0)
    assert page.value("gpu_process_memory_used_bytes", owner_kind="process",
                      process_pid=str(child.pid)) == 1024 << 20
    counter, = [labels for n, labels, _ in page.samples
                if n == "gpu_energy_consumption_joules_total" and labels["gpu_index"] == "1"]
    assert "owner_kind" not in counter and "process_pid" not in counter


def test_two_on_one_gpu_share_it_by_use_and_the_parts_sum_up(start, node):
    big = node.begin(0, memory=2048, share=30)
    small = node.begin(0, memory=512, share=10)
    agent = start("--simulate", str(node.scenario), config=CONFIG)

    def parts(page, name):
        return {labels.get("process_pid", "nobody"): value for n, labels, value in page.samples
                if n == name and labels["gpu_index"] == "0"}

    page = agent.wait_page("both parts", lambda p: min(
        parts(p, "gpu_owner_busy_time_seconds_total").get(str(c.pid), 0) for c in (big, small)) > 0.3)
    assert len(owners(page, 0)) == 2
    assert not page.values("gpu_memory_used_bytes", gpu_index="0", owner_kind="process")
    busy = parts(page, "gpu_owner_busy_time_seconds_total")
    assert busy[str(big.pid)] == pytest.approx(3 * busy[str(small.pid)], rel=0.25)
    # What the driver's samples of processes do not cover yet is nobody's and not yet told.
    whole = page.value("gpu_busy_time_seconds_total", gpu_index="0")
    assert whole - 10 < sum(busy.values()) <= whole + 1e-6
    memory = parts(page, "gpu_owner_memory_used_bytes")
    assert memory[str(big.pid)] == 2048 << 20 and memory[str(small.pid)] == 512 << 20
    assert sum(memory.values()) == page.value("gpu_memory_used_bytes", gpu_index="0")


def test_an_owner_that_ended_is_gone_and_its_successor_counts_from_zero(start, node):
    first = node.begin(0)
    agent = start("--simulate", str(node.scenario), config=CONFIG)
    agent.wait_page("the first owner's seconds", lambda p: p.values(
        "gpu_owner_busy_time_seconds_total", process_pid=str(first.pid), gpu_index="0")
        and p.value("gpu_owner_busy_time_seconds_total", process_pid=str(first.pid)) > 1)
    node.end(first)
    page = agent.wait_page("nobody", lambda p: not owners(p, 0))
    assert not page.values("gpu_memory_used_bytes", process_pid=str(first.pid))
    agent.wait_page("its account closed", lambda p: not p.values(
        "gpu_owner_energy_joules_total", process_pid=str(first.pid)))
    second = node.begin(0)
    page = agent.wait_page("the second owner", lambda p: p.values(
        "gpu_owner_busy_time_seconds_total", process_pid=str(second.pid)))
    assert page.value("gpu_owner_busy_time_seconds_total", process_pid=str(second.pid)) < 1.5


def test_labels_move_as_the_config_says_and_with_a_reload(start, node):
    child = node.begin(0)
    agent = start("--simulate", str(node.scenario), config=CONFIG + "owner_labels: info\n")
    page = agent.wait_page("the owner", lambda p: owners(p, 0))
    assert not page.values("gpu_memory_used_bytes", process_pid=str(child.pid))
    agent.write_config(CONFIG + "owner_labels: all\n")
    agent.process.send_signal(1)
    agent.wait_page("labels on counters", lambda p: p.values(
        "gpu_energy_consumption_joules_total", process_pid=str(child.pid)))


def test_owners_says_who_holds_and_uses_each_gpu(node, tmp_path):
    child = node.begin(1, share=40)
    config = tmp_path / "c.yaml"
    config.write_text(CONFIG)
    arguments = ["owners", "--config", str(config), "--simulate", str(node.scenario)]
    text = run(*arguments).stdout
    assert "SIMULATED" in text
    assert f"sleep[{child.pid}]  uses it (proc)" in text
    assert "GPU 0" in text and "nobody" in text
    assert f"process {child.pid} (sleep)" in run(*arguments, "--explain").stdout
    report = json.loads(run(*arguments, "--json").stdout)
    used, = report["devices"][1]["owners"]
    assert used["attributes"]["process.pid"] == str(child.pid)
    assert used["memory_used_bytes"] == 1024 << 20
    assert 0 < used["utilization"] <= 1


def test_a_running_agent_tells_the_same(start, node):
    child = node.begin(0)
    agent = start("--simulate", str(node.scenario), config=CONFIG)

    def report():
        found = json.loads(agent.fetch("/api/v1/owners")[1])
        return found if found["devices"] and found["devices"][0]["owners"] else None

    found = wait_for("the owner", report)
    assert found["devices"][0]["owners"][0]["processes"][0]["pid"] == str(child.pid)


def test_a_process_that_cannot_be_looked_up_is_unknown_and_nobodys(start, node):
    node.lines[0, 4194303] = 100, 10  # no such process here: as from another PID namespace
    node.write()
    agent = start("--simulate", str(node.scenario), config=CONFIG)
    page = agent.wait_page("the process", lambda p: p.values("gpu_process_memory_used_bytes"))
    assert not owners(page, 0)
    assert page.value("gpu_owner_memory_used_bytes", gpu_index="0", owner_kind="unattributed") > 0


def test_a_process_that_has_ended_owns_nothing_before_its_parent_looks(start, node):
    child = node.begin(0)
    agent = start("--simulate", str(node.scenario), config=CONFIG)
    agent.wait_page("the owner", lambda p: owners(p, 0))
    child.kill()  # nobody waits for it, and the driver lists it still
    agent.wait_page("nobody", lambda p: not owners(p, 0))


def test_the_owners_of_a_scenario_are_told_as_simulated(start):
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("owners", lambda p: p.values("gpu_owner_info"))
    told = {(labels["gpu_index"], labels["owner_kind"]) for n, labels, _ in page.samples if n == "gpu_owner_info"}
    assert told == {*((str(gpu), "slurm_job") for gpu in range(4)), *((str(gpu), "pod") for gpu in (4, 5, 7))}
    evidence = {labels["owner_evidence"] for n, labels, _ in page.samples if n == "gpu_owner_info"}
    assert evidence == {"simulated"}
    busy = page.value("gpu_utilization_ratio", gpu_index="4", k8s_pod_name="llama-70b-0")
    assert 0 <= busy <= 1
    text = run("owners", "--simulate", "8xh100").stdout
    assert "Slurm job 48213 (pretrain-13b) of amara  holds it (simulated) and uses it (simulated)" in text
    assert "research/notebook-lin-0/jupyter  holds it (simulated), no process of it is there" in text


def test_simulated_processes_are_never_looked_up_on_this_machine(start):
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("processes", lambda p: p.values("gpu_process_memory_used_bytes"))
    assert not [n for n, labels, _ in page.samples if labels.get("owner_kind") == "process"]
