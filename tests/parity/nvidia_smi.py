#!/usr/bin/env python3
"""Compares every value of the agent with what nvidia-smi says, on a machine with NVIDIA GPUs.

    tests/parity/nvidia_smi.py [--binary build/warpsight] [--load]

nvidia-smi -q -x is read before and after the agent's page; a value agrees when it lies between the
two readings, give or take the stated tolerance. Utilisation is compared with the mean of
nvidia-smi dmon over the same seconds. With --load a matrix product runs meanwhile (needs PyTorch).
Prints a table and exits 1 when a value disagrees or is missing.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WINDOW = 10  # seconds of one publish interval

LOAD = """
import torch, time, sys
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
print("loaded", flush=True)
end = time.time() + float(sys.argv[1])
while time.time() < end:
    for _ in range(50):
        c = a @ b
    torch.cuda.synchronize()
"""

MIB = 1 << 20


class Row:
    """One comparison: where nvidia-smi has it, what ours is called, how far they may differ."""

    def __init__(self, path, metric, scale=1.0, absolute=0.0, relative=0.0, **labels):
        self.path, self.metric, self.scale = path, metric, scale
        self.absolute, self.relative, self.labels = absolute, relative, labels


BOOLEAN = {"Yes": 1, "No": 0, "Active": 1, "Not Active": 0, "None": 0}

ROWS = [
    Row("fb_memory_usage/total", "gpu_memory_total_bytes", MIB, absolute=MIB),
    Row("fb_memory_usage/reserved", "gpu_memory_reserved_bytes", MIB, absolute=2 * MIB),
    Row("fb_memory_usage/used", "gpu_memory_used_bytes", MIB, absolute=2 * MIB),
    Row("fb_memory_usage/free", "gpu_memory_free_bytes", MIB, absolute=2 * MIB),
    Row("bar1_memory_usage/used", "gpu_memory_bar1_used_bytes", MIB, absolute=2 * MIB),
    Row("temperature/gpu_temp", "gpu_temperature_celsius", absolute=3, gpu_temperature_sensor="edge"),
    Row("temperature/memory_temp", "gpu_temperature_celsius", absolute=3, gpu_temperature_sensor="memory"),
    Row("temperature/gpu_temp_tlimit", "gpu_temperature_margin_celsius", absolute=3,
        gpu_temperature_threshold="max_operating"),
    Row("gpu_power_readings/average_power_draw", "gpu_power_draw_watts", absolute=12, relative=0.08),
    Row("gpu_power_readings/current_power_limit", "gpu_power_limit_watts", absolute=0.01),
    Row("performance_state", "gpu_power_state"),
    Row("clocks/graphics_clock", "gpu_clock_frequency_hertz", 1e6, relative=0.08, gpu_clock_type="graphics"),
    Row("clocks/sm_clock", "gpu_clock_frequency_hertz", 1e6, relative=0.08, gpu_clock_type="sm"),
    Row("clocks/mem_clock", "gpu_clock_frequency_hertz", 1e6, gpu_clock_type="memory"),
    Row("clocks/video_clock", "gpu_clock_frequency_hertz", 1e6, relative=0.08, gpu_clock_type="video"),
    Row("fan_speed", "gpu_fan_speed_ratio", 0.01, absolute=0.02),
    Row("utilization/encoder_util", "gpu_encode_utilization_ratio", 0.01, absolute=0.02),
    Row("utilization/decoder_util", "gpu_decode_utilization_ratio", 0.01, absolute=0.02),
    Row("pci/pci_gpu_link_info/pcie_gen/current_link_gen", "gpu_pcie_link_gen_current"),
    Row("pci/pci_gpu_link_info/pcie_gen/max_link_gen", "gpu_pcie_link_gen_max"),
    Row("pci/pci_gpu_link_info/link_widths/current_link_width", "gpu_pcie_link_width_current"),
    Row("pci/pci_gpu_link_info/link_widths/max_link_width", "gpu_pcie_link_width_max"),
    Row("pci/replay_counter", "gpu_pcie_replays_total"),
    Row("remapped_rows/remapped_row_corr", "gpu_row_remap_rows", gpu_ecc_error_type="correctable"),
    Row("remapped_rows/remapped_row_unc", "gpu_row_remap_rows", gpu_ecc_error_type="uncorrectable"),
    Row("remapped_rows/remapped_row_pending", "gpu_row_remap_pending"),
    Row("remapped_rows/remapped_row_failure", "gpu_row_remap_failure"),
    Row("retired_pages/multiple_single_bit_retirement/retired_count", "gpu_retired_pages",
        gpu_ecc_error_type="correctable"),
    Row("retired_pages/double_bit_retirement/retired_count", "gpu_retired_pages",
        gpu_ecc_error_type="uncorrectable"),
    Row("ecc_errors/aggregate/sram_threshold_exceeded", "gpu_ecc_sram_threshold_exceeded"),
    Row("ecc_errors/channel_repair_pending", "gpu_repair_pending", gpu_repair_kind="channel"),
    Row("ecc_errors/tpc_repair_pending", "gpu_repair_pending", gpu_repair_kind="tpc"),
    Row("gpu_recovery_action", "gpu_recovery_action"),
]
for level in ("max", "high", "partial", "low", "none"):
    ROWS.append(Row(f"remapped_rows/row_remapper_histogram/row_remapper_histogram_{level}",
                    "gpu_row_remap_banks", gpu_row_remap_availability=level))
for count in ("volatile", "aggregate"):
    for path, kind, block in (("sram_correctable", "correctable", "sram"),
                              ("dram_correctable", "correctable", "dram"),
                              ("dram_uncorrectable", "uncorrectable", "dram")):
        ROWS.append(Row(f"ecc_errors/{count}/{path}", "gpu_ecc_errors_total", gpu_ecc_count_type=count,
                        gpu_ecc_error_type=kind, gpu_ecc_memory_block=block))
for path, cause in (("applications_clocks_setting", "applications_clocks"), ("sw_power_cap", "sw_power_cap"),
                    ("hw_slowdown", "hw_slowdown"), ("hw_thermal_slowdown", "hw_thermal"),
                    ("hw_power_brake_slowdown", "hw_power_brake"), ("sync_boost", "sync_boost"),
                    ("sw_thermal_slowdown", "sw_thermal")):
    ROWS.append(Row(f"clocks_event_reasons/clocks_event_reason_{path}", "gpu_throttle_reason",
                    gpu_throttle_cause=cause))
for path, cause in (("sw_power_cap", "sw_power_cap"), ("sync_boost", "sync_boost"),
                    ("sw_therm_slowdown", "sw_thermal"), ("hw_therm_slowdown", "hw_thermal"),
                    ("hw_power_brake", "hw_power_brake")):
    ROWS.append(Row(f"clocks_event_reasons_counters/clocks_event_reasons_counters_{path}",
                    "gpu_throttle_time_seconds_total", 1e-6, absolute=0.2, gpu_throttle_cause=cause))


def number(text):
    """nvidia-smi's text as a number, or None for what it does not have."""
    text = (text or "").strip()
    if text in BOOLEAN:
        return BOOLEAN[text]
    match = re.match(r"^P?(-?\d+(?:\.\d+)?)", text)
    return float(match[1]) if match else None


def smi():
    text = subprocess.run(["nvidia-smi", "-q", "-x"], capture_output=True, text=True, check=True).stdout
    return ElementTree.fromstring(text).findall("gpu")


def dmon(seconds):
    """Starts dmon; its rows come from the returned process."""
    return subprocess.Popen(["nvidia-smi", "dmon", "-s", "pu", "-d", "1", "-c", str(seconds)],
                            stdout=subprocess.PIPE, text=True)


def dmon_means(process):
    sums = {}
    text = process.communicate()[0]
    header = []
    for line in text.splitlines():
        if line.startswith("# gpu"):
            header = line[1:].split()
        if line.startswith("#"):
            continue
        row = dict(zip(header, line.split()))
        for key in ("sm", "mem", "pwr"):
            value = number(row.get(key))
            if value is not None:
                sums.setdefault((row["gpu"], key), []).append(value)
    return {key: sum(values) / len(values) for key, values in sums.items()}


class Agent:
    def __init__(self, binary):
        self.directory = tempfile.TemporaryDirectory()
        self.log = Path(self.directory.name) / "log"
        config = Path(self.directory.name) / "c.yaml"
        config.write_text(f"publish_interval: {WINDOW}s\nstate_dir: {self.directory.name}\n")
        self.process = subprocess.Popen([binary, "run", "--config", str(config), "--listen", "127.0.0.1:0"],
                                        stderr=open(self.log, "w"))
        while "page: http://" not in self.log.read_text():
            if self.process.poll() is not None:
                sys.exit(f"the agent ended:\n{self.log.read_text()}")
            time.sleep(0.05)
        self.url = re.search(r"metrics: (\S+)", self.log.read_text())[1]

    def page(self):
        text = urllib.request.urlopen(self.url).read().decode()
        samples = []
        for line in text.splitlines():
            match = re.match(r"^(\w+)\{(.*)\} (\S+)$", line)
            if match:
                samples.append((match[1], dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2])),
                                float(match[3])))
        return samples

    def fresh_page(self):
        """The first page of a new publish interval."""
        stamp = lambda page: next(v for n, l, v in page
                                  if n == "warpsight_cpu_time_seconds_total" and l["process"] == "agent")
        first = stamp(self.page())
        while True:
            page = self.page()
            if stamp(page) != first:
                return page
            time.sleep(0.05)

    def close(self):
        self.process.terminate()
        self.process.wait()


def find(samples, uuid, metric, labels):
    for name, found, value in samples:
        if name == metric and found.get("gpu_uuid") == uuid and "gpu_mig_instance_id" not in found \
                and all(found.get(k) == v for k, v in labels.items()):
            return value
    return None


def judge(ours, low, high, absolute, relative):
    if ours is None:
        return False
    slack = absolute + relative * max(abs(low), abs(high)) + 1e-9
    return min(low, high) - slack <= ours <= max(low, high) + slack


def compare(before, page, after, means):
    results = []
    for index, (first, last) in enumerate(zip(before, after)):
        uuid = first.findtext("uuid").strip()
        for row in ROWS:
            low, high = number(first.findtext(row.path)), number(last.findtext(row.path))
            ours = find(page, uuid, row.metric, row.labels)
            name = row.metric + "".join(f" {v}" for v in row.labels.values())
            if low is None or high is None:
                results.append((index, name, "N/A", ours, ours is None))
                continue
            low, high = low * row.scale, high * row.scale
            results.append((index, name, (low + high) / 2, ours,
                            judge(ours, low, high, row.absolute, row.relative)))
        for key, metric, scale, absolute, relative in (
                ("sm", "gpu_utilization_ratio", 0.01, 0.06, 0), ("mem", "gpu_memory_utilization_ratio", 0.01, 0.06, 0),
                ("pwr", "gpu_power_draw_watts", 1, 6, 0.04)):
            mean = means.get((str(index), key))
            ours = find(page, uuid, metric, {})
            if mean is not None:
                results.append((index, f"{metric} (dmon mean)", mean * scale, ours,
                                judge(ours, mean * scale, mean * scale, absolute, relative)))
        results += compare_processes(index, uuid, first, last, page)
    return results


def compare_processes(index, uuid, first, last, page):
    results = []
    stayed = {p.findtext("pid") for p in first.iter("process_info")}
    for process in last.iter("process_info"):
        pid = process.findtext("pid")
        used = number(process.findtext("used_memory"))
        if pid not in stayed or used is None:
            continue
        ours = find(page, uuid, "gpu_process_memory_used_bytes", {"process_pid": pid})
        results.append((index, f"gpu_process_memory_used_bytes {pid}", used * MIB, ours,
                        judge(ours, used * MIB, used * MIB, 4 * MIB, 0)))
    return results


def show(value):
    if value is None:
        return "absent"
    return value if isinstance(value, str) else f"{value:.6g}"


def measure(agent):
    agent.fresh_page()  # a whole interval from here
    before = smi()
    watcher = dmon(WINDOW)
    page = agent.fresh_page()
    after = smi()
    return compare(before, page, after, dmon_means(watcher))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "build" / "warpsight"))
    parser.add_argument("--load", action="store_true", help="with a matrix product running")
    parser.add_argument("--json", help="also write the table here")
    options = parser.parse_args()
    load = None
    if options.load:
        load = subprocess.Popen([sys.executable, "-c", LOAD, str(6 * WINDOW)], stdout=subprocess.PIPE, text=True)
        if load.stdout.readline().strip() != "loaded":
            sys.exit("the load did not start; is PyTorch with CUDA installed?")
    agent = Agent(os.path.abspath(options.binary))
    try:
        results = measure(agent)
    finally:
        agent.close()
        if load:
            load.kill()
            load.wait()
    print(f"{'GPU':>3}  {'value':<62} {'nvidia-smi':>14} {'warpsight':>14}")
    for index, name, theirs, ours, good in results:
        print(f"{index:>3}  {name:<62} {show(theirs):>14} {show(ours):>14}  {'' if good else 'DIFFERS'}")
    wrong = sum(not good for *_, good in results)
    print(f"{len(results) - wrong} agree, {wrong} differ")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
