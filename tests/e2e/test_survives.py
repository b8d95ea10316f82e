"""What must not take the agent down: hung calls, lost GPUs, killed probes."""
import ctypes
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from conftest import wait_for

PERIOD = 1.0
CONFIG = """
publish_interval: 1s
sources:
  nvml: {period: 1s}
  host: {period: 1s}
"""

EIGHT = """
gpus:
  - model: h100
    count: 8
    load: 0.5
"""


def scenario(tmp_path, faults, text=EIGHT):
    path = tmp_path / "scenario.yaml"
    path.write_text(text + "faults:\n" + faults)
    return str(path)


def zombies(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(") ", 1)[1].split()
        except (OSError, IndexError):
            continue
        if fields[0] == "Z" and int(fields[1]) == pid:
            found.append(stat.parent.name)
    return found


def fd_count(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


HANG = "  - {at: 6s, gpu: 3, call: nvmlDeviceGetEnforcedPowerLimit, fault: hang}\n"


def test_a_call_that_never_returns_costs_one_gpu(start, tmp_path):
    agent = start("--simulate", scenario(tmp_path, HANG), config=CONFIG)
    agent.wait_page("all eight", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    page = agent.wait_page("GPU 3 unresponsive",
                           lambda p: p.value("gpu_driver_responsive", gpu_index="3") == 0)
    page = agent.wait_page("the other seven", lambda p: (
        p.gpus("gpu_power_draw_watts") == {"0", "1", "2", "4", "5", "6", "7"}))
    assert page.value("gpu_driver_responsive", gpu_index="0") == 1
    assert page.value("gpu_devices", gpu_state="lost") == 1

    hung = [e for e in agent.status()["events"] if e["event"] == "gpu.driver.hang"]
    assert hung and "nvmlDeviceGetEnforcedPowerLimit" in hung[0]["message"]
    # Other sources did not notice.
    assert page.value("warpsight_source_up", source="host") == 1
    assert agent.stop() < 5
    assert agent.process.returncode == 0


def test_a_hang_shows_within_two_periods_and_the_rest_is_back_within_three(start, tmp_path):
    """Counted in the agent's own publishes, which are one period apart."""
    agent = start("--simulate", scenario(tmp_path, HANG), config=CONFIG)
    agent.wait_page("all eight", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    without_seven = set()  # publishes in which not even the healthy GPUs were told

    def hang_shown(page):
        healthy = page.gpus("gpu_memory_used_bytes") - {"3"}
        if len(healthy) < 7:
            without_seven.add(page.value("system_uptime_seconds"))
        return page.value("gpu_driver_responsive", gpu_index="3") == 0 and len(healthy) == 7

    agent.wait_page("the hang and the other seven", hang_shown)
    assert len(without_seven) <= 3
    waited = float(agent.logged().split("has not returned for ")[1].split(" s")[0])
    assert waited <= 2 * PERIOD
    assert agent.page().value("warpsight_probe_restarts_total", source="nvml") == 1


def test_the_hung_gpu_comes_back_when_it_answers(start, tmp_path):
    fault = "  - {at: 6s, for: 6s, gpu: 3, call: nvmlDeviceGetEnforcedPowerLimit, fault: hang}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    agent.wait_page("the hang", lambda p: p.value("gpu_driver_responsive", gpu_index="3") == 0)
    page = agent.wait_page("GPU 3 again", lambda p: (
        p.value("gpu_driver_responsive", gpu_index="3") == 1
        and len(p.gpus("gpu_power_draw_watts")) == 8))
    assert page.value("gpu_devices", gpu_state="lost") == 0
    assert any(e["event"] == "gpu.driver.recovered" for e in agent.status()["events"])


def test_a_slow_call_is_survived(start, tmp_path):
    fault = "  - {at: 6s, for: 1s, gpu: 1, call: nvmlDeviceGetEnforcedPowerLimit, fault: slow, delay: 3s}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    agent.wait_logged("has not returned")
    agent.wait_page("all eight again", lambda p: (
        len(p.gpus("gpu_power_draw_watts")) == 8 and 0 not in p.values("gpu_driver_responsive")))


def test_a_driver_that_hangs_at_start_stops_nobody(start, tmp_path):
    fault = "  - {at: 0s, call: nvmlInit_v2, fault: hang}\n  - {at: 0s, call: nvmlInitWithFlags, fault: hang}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    page = agent.wait_page("host metrics", lambda p: p.values("system_memory_usage_bytes"))
    assert not page.gpus("gpu_power_draw_watts")
    assert page.value("warpsight_source_up", source="nvml") == 0
    assert agent.stop() < 5


def test_one_of_eight_lost_leaves_seven(start, tmp_path):
    fault = "  - {at: 3s, gpu: 5, fault: lost}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    agent.wait_page("all eight", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    page = agent.wait_page("seven", lambda p: len(p.gpus("gpu_power_draw_watts")) == 7)
    assert "5" not in page.gpus("gpu_power_draw_watts")
    agent.wait_page("one lost", lambda p: p.value("gpu_devices", gpu_state="lost") == 1)
    assert any(e["event"] == "gpu.lost" for e in agent.status()["events"])


def test_a_killed_probe_is_back_at_once(start):
    agent = start("--simulate", "8xh100", config=CONFIG)
    agent.wait_page("GPUs", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    (probe,) = agent.probes()
    before = fd_count(agent.process.pid)
    for round_number in range(1, 4):
        os.kill(probe, signal.SIGKILL)
        (probe,) = wait_for("a new probe", lambda: set(agent.probes()) - {probe})
        agent.wait_page("the restart counted", lambda p: (
            p.value("warpsight_probe_restarts_total", source="nvml") == round_number
            and len(p.gpus("gpu_power_draw_watts")) == 8))
    assert zombies(agent.process.pid) == []
    assert fd_count(agent.process.pid) <= before


def test_no_sample_is_missed_when_the_first_probe_is_killed(start):
    """Back within one period: the replaced probe's GPUs never go stale."""
    agent = start("--simulate", "8xh100", config=CONFIG)
    agent.wait_page("GPUs", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    seen = []
    stop = threading.Event()

    def watch():
        while not stop.is_set():
            seen.append(len(agent.page().gpus("gpu_memory_used_bytes")))
            time.sleep(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.kill(agent.probes()[0], signal.SIGKILL)
    agent.wait_page("the restart", lambda p: p.value("warpsight_probe_restarts_total") == 1)
    wait_for("some more pages", lambda: len(seen) > 30)
    stop.set()
    watcher.join()
    assert set(seen) == {8}


def test_a_child_the_kernel_will_not_let_go_is_left_alone(start, tmp_path):
    """A tracer keeps the killed probe from being reaped, as a wedged driver would."""
    libc = ctypes.CDLL(None, use_errno=True)
    ptrace_seize = 0x4206
    agent = start("--simulate", scenario(tmp_path, HANG), config=CONFIG)
    agent.wait_page("all eight", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    (stuck,) = agent.probes()
    if libc.ptrace(ptrace_seize, stuck, None, None) != 0:
        pytest.skip("tracing another process is not permitted here")
    agent.wait_page("seven", lambda p: (
        p.value("gpu_driver_responsive", gpu_index="3") == 0
        and len(p.gpus("gpu_power_draw_watts")) == 7))
    # One child for the seven, the stuck one, and no third that tries the hung GPU.
    pages = [agent.page() for _ in range(20) if time.sleep(0.2) is None]
    assert all(len(p.gpus("gpu_power_draw_watts")) == 7 for p in pages)
    assert len(agent.probes()) == 2
    assert agent.stop() < 5
    os.waitpid(stuck, 0)


def test_driver_reload_is_survived(start, tmp_path):
    fault = "  - {at: 4s, for: 8s, fault: reload}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    agent.wait_page("GPUs", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)
    agent.wait_page("none while the driver is away", lambda p: not p.gpus("gpu_power_draw_watts"))
    agent.wait_page("GPUs again", lambda p: len(p.gpus("gpu_power_draw_watts")) == 8)


def test_xids_are_counted_with_their_meaning(start, tmp_path):
    fault = "  - {at: 3s, gpu: 2, fault: xid, xid: 79}\n  - {at: 4s, gpu: 2, fault: xid, xid: 31}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    page = agent.wait_page("both XIDs", lambda p: (
        p.value("gpu_xid_errors_total", gpu_index="2", gpu_xid_code="79") == 1
        and p.value("gpu_xid_errors_total", gpu_index="2", gpu_xid_code="31") == 1))
    assert page.value("gpu_xid_last_error_code", gpu_index="2") == 31
    event = next(e for e in agent.status()["events"] if e["event"] == "gpu.xid")
    assert "bus" in event["message"]


def test_a_garbage_driver_is_survived(start, tmp_path):
    fault = "  - {at: 2s, fault: garbage}\n"
    agent = start("--simulate", scenario(tmp_path, fault), config=CONFIG)
    agent.wait_page("GPUs", lambda p: p.gpus("gpu_power_draw_watts"))
    time.sleep(0.1)
    page = wait_for("pages during the garbage", lambda: agent.page())
    assert page.value("warpsight_source_up", source="host") == 1
    assert agent.stop() < 5
