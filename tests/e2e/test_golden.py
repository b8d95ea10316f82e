"""The GPU part of the whole page, line for line, for each kind of hardware.

WARPSIGHT_UPDATE_GOLDEN=1 rewrites the pages; read the difference before committing it.
"""
import os
import re
import time

import pytest

from conftest import ROOT

GOLDEN = ROOT / "tests" / "golden"
# What a scenario leaves open: when the agent started, and how the two meters compare so far.
NOT_FIXED = re.compile(r"^(# \w+ )?(gpu_energy_deviation|gpu_xid_last_error_time)")


def gpu_part(text):
    lines = []
    for line in text.splitlines():
        subject = line.split()[2] if line.startswith("#") else line
        if not subject.startswith(("gpu_", "host_gpu_")) or NOT_FIXED.match(line):
            continue
        lines.append(line)
    return "\n".join(lines) + "\n"


# How much of the driver's buffers the first run finds depends on how soon it comes: busy seconds and
# owners' accounts are compared by name alone, means of a moving value within a fiftieth; a process's part of a GPU,
# which is small and a mean of few samples, within a fiftieth of the GPU.
BY_NAME = ("gpu_busy_time_seconds_total{", "gpu_owner_busy_time_seconds_total{", "gpu_owner_energy_joules_total{")


def same(line, golden):
    if line == golden or line.startswith("#") or golden.startswith("#"):
        return line == golden
    (series, value), (golden_series, golden_value) = line.rsplit(" ", 1), golden.rsplit(" ", 1)
    of_whole = 0.02 if series.startswith("gpu_process_utilization_ratio{") else 0
    close = float(value) == pytest.approx(float(golden_value), rel=0.02, abs=of_whole)
    return series == golden_series and (close or series.startswith(BY_NAME))


@pytest.mark.parametrize("name, gpus, gpm", [
    ("8xh100", 8, True), ("h200", 1, True), ("a100-mig", 4, False), ("t4", 2, False), ("lost-gpu", 7, True),
    ("h100-mig", 2, True),
])
def test_page_is_as_agreed(start, tmp_path, name, gpus, gpm):
    at = 30
    scenario = tmp_path / f"{name}.yaml"
    scenario.write_text((ROOT / "scenarios" / f"{name}.yaml").read_text()
                        + f"\nclock: {{frozen_at: {at}s, epoch: {time.time() - at}}}\n")
    config = ("publish_interval: 1s\n"
              "sources: {nvml: {period: 500ms}, host: {enabled: false}, kmsg: {enabled: false}}\n")
    agent = start("--simulate", str(scenario), config=config)

    def complete(page):
        # Activity is a difference: it comes with the second run.
        return page.value("gpu_devices", gpu_state="seen") == gpus and (
            not gpm or page.values("gpu_sm_active_ratio"))

    page = agent.wait_page("every GPU", complete)
    part = gpu_part(page.text)
    path = GOLDEN / f"{name}.prom"
    if os.environ.get("WARPSIGHT_UPDATE_GOLDEN"):
        path.write_text(part)
    ours, golden = part.splitlines(), path.read_text().splitlines()
    differing = [pair for pair in zip(ours, golden) if not same(*pair)]
    assert not differing, f"differs from {path}; see the head of this file"
    assert len(ours) == len(golden), f"differs in length from {path}; see the head of this file"
