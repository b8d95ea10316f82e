import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

from conftest import run, wait_for

GIB = 1 << 30


def test_eight_simulated_gpus_are_served_in_right_units(start):
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("utilisation of 8 GPUs",
                           lambda p: len(p.gpus("gpu_utilization_ratio")) == 8 and p.values("gpu_sm_active_ratio"))
    assert len(page.gpus("gpu_power_draw_watts")) == 8
    assert all(30 < watts < 800 for watts in page.values("gpu_power_draw_watts"))
    assert all(79 * GIB < size < 81 * GIB for size in page.values("gpu_memory_total_bytes"))
    for name, _, value in page.samples:
        if name.endswith("_ratio"):
            assert -1 <= value <= 1.0001 if "deviation" in name else 0 <= value <= 1.0001, name
    assert page.value("gpu_devices", gpu_state="expected") == 8
    assert page.value("gpu_devices", gpu_state="seen") == 8
    assert page.value("gpu_devices", gpu_state="lost") == 0


def test_everything_simulated_says_so(start):
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("GPUs", lambda p: p.gpus("gpu_power_draw_watts"))
    for name, labels, _ in page.samples:
        if "gpu_index" in labels:
            assert labels.get("simulated") == "true", (name, labels)
    assert page.value("warpsight_simulated", source="nvml") == 1
    assert "SIMULATED" in page.text
    assert json.loads(agent.fetch("/api/v1/now")[1])["simulated"] is True
    assert agent.status()["simulated"] is True
    assert "SIMULATED" in agent.logged()


def test_without_simulate_nothing_is_invented(start):
    agent = start(config="publish_interval: 1s\n")
    page = agent.wait_page("host metrics", lambda p: p.values("system_memory_usage_bytes"))
    # On a machine with GPUs they are real ones; on one without there are none.
    assert not any(labels.get("simulated") for _, labels, _ in page.samples)
    assert page.value("warpsight_simulated") is None
    assert agent.status()["simulated"] is False


def test_once_prints_json_lines_and_exits():
    lines = [json.loads(line) for line in run("run", "--once", "--simulate", "h200").stdout.splitlines()]
    values = {line["metric"]: line for line in lines if "metric" in line}
    assert values["gpu.power.draw"]["unit"] == "W"
    assert values["gpu.power.draw"]["simulated"] is True
    assert values["gpu.sm.active"]["value"] <= 1
    assert "start" in values["gpu.energy.consumption"]


def test_openmetrics_and_gzip_are_negotiated(start):
    agent = start("--simulate", "t4")
    agent.wait_page("a GPU", lambda p: p.gpus("gpu_power_draw_watts"))
    headers, body = agent.fetch("/metrics", {"Accept": "application/openmetrics-text; version=1.0.0"})
    assert headers["Content-Type"].startswith("application/openmetrics-text")
    assert body.decode().endswith("# EOF\n")
    headers, body = agent.fetch("/metrics", {"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert "gpu_power_draw_watts" in gzip.decompress(body).decode()


def test_promtool_finds_nothing_wrong_with_the_page(start):
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian package prometheus)")
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("GPM", lambda p: p.values("gpu_sm_active_ratio"))
    checked = subprocess.run(["promtool", "check", "metrics"], input=page.text, text=True,
                             capture_output=True)
    complaints = {line for line in checked.stderr.splitlines() if line.strip()}
    # Contract names: the one value of 0..100, kept for dashboards of others.
    allowed = {line for line in complaints if line.startswith("gpu_memory_used_percent ")}
    assert complaints == allowed, checked.stderr


def test_dcgm_names_for_existing_dashboards(start):
    config = "publish_interval: 1s\nsinks: {prometheus: {compat: dcgm}}\n"
    agent = start("--simulate", "8xh100", config=config)
    page = agent.wait_page("DCGM names", lambda p: p.values("DCGM_FI_DEV_GPU_UTIL"))
    labels = next(l for n, l, _ in page.samples if n == "DCGM_FI_DEV_GPU_UTIL")
    for label in ("gpu", "UUID", "pci_bus_id", "device", "modelName", "Hostname"):
        assert labels.get(label), label
    watts = page.value("gpu_power_draw_watts", gpu_index="0")
    assert page.value("DCGM_FI_DEV_POWER_USAGE", gpu="0") == pytest.approx(watts)
    assert page.value("DCGM_FI_DEV_FB_USED", gpu="0") == pytest.approx(
        page.value("gpu_memory_used_bytes", gpu_index="0") / (1 << 20))


def test_health_and_readiness(start):
    agent = start("--simulate", "t4")
    agent.wait_page("a GPU", lambda p: p.gpus("gpu_power_draw_watts"))
    assert agent.get("/healthz").status == 200
    assert agent.get("/readyz").status == 200


def test_a_taken_port_is_explained(start):
    agent = start("--simulate", "t4")
    port = agent.address.rsplit(":", 1)[1]
    done = run("run", "--simulate", "t4", "--listen", f"127.0.0.1:{port}", check=False)
    assert done.returncode == 1
    assert "the port is taken" in done.stderr and "--listen" in done.stderr


def test_sigterm_and_sigint_stop_it_cleanly(start):
    for sent in (signal.SIGTERM, signal.SIGINT):
        agent = start("--simulate", "t4")
        agent.wait_page("a GPU", lambda p: p.gpus("gpu_power_draw_watts"))
        assert agent.stop(sent) < 5
        assert agent.process.returncode == 0


def test_reload_takes_a_good_config_and_refuses_a_bad_one(start):
    agent = start("--simulate", "t4")
    agent.wait_page("a GPU", lambda p: p.gpus("gpu_power_draw_watts"))
    agent.write_config("publish_intervall: 5s\n")
    agent.process.send_signal(signal.SIGHUP)
    agent.wait_logged("the old one stays in force")
    assert "publish_interval" in agent.logged(), "the nearest valid key is named"
    agent.wait_page("a GPU, still", lambda p: p.gpus("gpu_power_draw_watts"))

    agent.write_config("publish_interval: 1s\nsinks: {prometheus: {aliases: true}}\n")
    agent.process.send_signal(signal.SIGHUP)
    agent.wait_logged("configuration reloaded")
    agent.wait_page("an alias", lambda p: p.values("gpu_power_watts"))


def test_file_sink_writes_whole_lines(start, tmp_path):
    path = tmp_path / "points.jsonl"
    config = f"publish_interval: 1s\nsinks: {{file: {{enabled: true, path: {path}}}}}\n"
    agent = start("--simulate", "t4", config=config)
    wait_for("points in the file", lambda: path.exists() and "gpu.power.draw" in path.read_text())
    agent.stop()
    lines = path.read_text().splitlines()
    assert all(json.loads(line)["simulated"] is True for line in lines)


def test_service_manager_hears_of_it(start, tmp_path):
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(60)
        agent = start("--simulate", "t4", environment={
            "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000"})
        heard = ""
        while "READY=1" not in heard or "WATCHDOG=1" not in heard:
            heard += manager.recv(4096).decode() + "\n"
        agent.process.send_signal(signal.SIGTERM)
        while "STOPPING=1" not in heard:
            heard += manager.recv(4096).decode() + "\n"
        agent.process.wait(60)


def test_unknown_scenario_lists_the_known(start):
    done = run("run", "--simulate", "no-such", check=False)
    assert done.returncode == 2
    assert "8xh100" in done.stderr and "hung-driver" in done.stderr


def test_doctor_reports_a_simulated_node():
    done = run("doctor", "--simulate", "8xh100", check=False)
    assert "SIMULATED 8 × NVIDIA H100" in done.stdout
    assert "nvml" in done.stdout and "host" in done.stdout


def test_metrics_json_is_the_catalogue():
    metrics = json.loads(run("metrics", "--json").stdout)
    by_name = {metric["name"]: metric for metric in metrics}
    assert by_name["gpu.power.draw"]["prometheus"] == "gpu_power_draw_watts"
    assert all(metric["meaning"] for metric in metrics)


def test_check_config_names_line_and_nearest_key(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text("listen: 127.0.0.1:9465\npublish_intreval: 10s\n")
    done = run("check-config", "--config", str(path), check=False)
    assert done.returncode == 3
    assert f"{path}:2:" in done.stderr and "publish_interval" in done.stderr


def test_help_and_completions_come_from_the_same_tables():
    assert "--simulate" in run("run", "--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert "simulate" in run("completion", shell).stdout
    bash = subprocess.run(["bash", "-n"], input=run("completion", "bash").stdout, text=True,
                          capture_output=True)
    assert bash.returncode == 0, bash.stderr


def test_documented_metrics_are_what_the_page_has(start):
    agent = start("--simulate", "8xh100")
    page = agent.wait_page("GPM", lambda p: p.values("gpu_sm_active_ratio"))
    documented = {m["prometheus"] for m in json.loads(run("metrics", "--json").stdout) if m["produced"]}
    own = {name for name in page.names() if name != "target_info"}
    assert own <= documented
    assert re.search(r"^# HELP gpu_power_draw_watts \S", page.text, re.MULTILINE)


def test_many_short_connections_leave_nothing_open(start):
    agent = start("--simulate", "t4")
    agent.wait_page("a GPU", lambda p: p.gpus("gpu_power_draw_watts"))
    descriptors = f"/proc/{agent.process.pid}/fd"
    before = len(os.listdir(descriptors))
    for _ in range(300):
        assert agent.get("/healthz", {"Connection": "close"}).status == 200
    wait_for("the descriptors to be closed", lambda: len(os.listdir(descriptors)) <= before + 1)
    assert "libevent" not in agent.logged()
