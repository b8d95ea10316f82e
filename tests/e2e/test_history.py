"""What a node remembers: `warpsight query`, /api/v1/series and /api/v1/events, kills and restarts."""
import calendar
import csv
import io
import json
import random
import signal
import sqlite3
import time
import urllib.error

from conftest import run, wait_for

FAST = """
publish_interval: 200ms
history: {flush_interval: 1s}
sources: {nvml: {period: 200ms}, host: {enabled: false}, kmsg: {enabled: false}}
"""


def query(agent, *arguments, check=True):
    return run("query", "--config", str(agent.config_path), "--simulated", *arguments, check=check)


def series(agent, **parameters):
    text = "&".join(f"{key}={value}" for key, value in parameters.items())
    return json.loads(agent.fetch(f"/api/v1/series?{text}")[1])


def power_of_first(agent):
    answer = series(agent, metric="gpu.power.draw", match="gpu.index%3D0", step="1", **{"from": "-10m"})
    return [v for row in answer["series"] for v in row["values"] if v is not None]


def test_series_of_a_range_by_metric_and_attribute(start):
    agent = start("--simulate", "8xh100", config=FAST)
    wait_for("some seconds of history", lambda: len(power_of_first(agent)) >= 3)
    answer = series(agent, metric="gpu.power.draw", step="1", aggregate="max", **{"from": "-1m"})
    assert len(answer["series"]) == 8
    row = answer["series"][0]
    assert row["unit"] == "W" and row["kind"] == "gauge" and row["attributes"]["gpu.uuid"].startswith("GPU-")
    assert answer["step"] == 1 and len(answer["times"]) == len(row["values"])
    assert all(t % 1 == 0 for t in answer["times"])
    values = [v for v in row["values"] if v is not None]
    assert values and all(50 < v < 800 for v in values)


def test_query_prints_tables_csv_and_json_with_and_without_an_agent(start):
    agent = start("--simulate", "8xh100", config=FAST)
    wait_for("some seconds of history", lambda: len(power_of_first(agent)) >= 3)
    while_running = query(agent, "gpu.power.draw", "--match", "gpu.index=0", "--step", "1s", "--from", "-5m").stdout
    assert while_running.startswith("gpu.power.draw [W]  ") and "gpu.index=0" in while_running
    agent.stop()
    rows = list(csv.reader(io.StringIO(query(
        agent, "gpu.power.draw", "--format", "csv", "--step", "1s", "--from", "-5m").stdout)))
    assert len(rows[0]) == 9 and len(rows) > 3
    document = json.loads(query(agent, "gpu.energy.consumption", "--aggregate", "rate", "--format", "json",
                                "--step", "1s", "--from", "-5m").stdout)
    rates = [v for row in document["series"] for v in row["values"] if v is not None]
    assert rates and all(0 <= v < 1500 for v in rates)
    known = query(agent, "--list", "gpu.temperature").stdout
    assert known.count("gpu.temperature ") >= 8


def test_a_mistake_is_told_with_what_to_do(start):
    agent = start("--simulate", "8xh100", config=FAST)
    wait_for("history", lambda: power_of_first(agent))
    for arguments, words in [((), "metric"), (("gpu.power.drow",), "gpu.power.draw"),
                             (("gpu.power.draw", "--match", "nonsense"), "KEY=VALUE"),
                             (("gpu.power.draw", "--from", "yesterday"), "-1h"),
                             (("gpu.power.draw", "--from", "-30d", "--step", "1s"), "step")]:
        done = query(agent, *arguments, check=False)
        assert done.returncode == 2 and words in done.stderr, (arguments, done.stderr)


def test_events_outlive_a_restart(start):
    agent = start("--simulate", "lost-gpu", config=FAST)

    def lost():
        return [e for e in json.loads(agent.fetch("/api/v1/events?from=-1h&limit=1000")[1])["events"]
                if e["name"].startswith("gpu.")]
    before = wait_for("an event of a GPU", lost)
    agent.stop()
    agent = start("--simulate", "8xh100", config=FAST, after=agent)
    after = wait_for("the events of before", lost)
    assert {(e["time"], e["name"], e["message"]) for e in before} <= {
        (e["time"], e["name"], e["message"]) for e in after}
    text = query(agent, "--events", "gpu.*", "--from", "-1h").stdout
    assert before[0]["name"] in text


def test_a_killed_agent_loses_at_most_the_last_flush(start):
    agent = start("--simulate", "8xh100", config=FAST)
    for _ in range(4):
        wait_for("history beyond the first flush", lambda: len(power_of_first(agent)) >= 4)
        known = len(power_of_first(agent))
        time.sleep(random.uniform(0.1, 1.5))
        killed = time.time()
        agent.stop(signal.SIGKILL)
        database = agent.directory / "state" / "history-simulated" / "history.db"
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
            assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        lines = query(agent, "gpu.power.draw", "--match", "gpu.index=0", "--step", "1s", "--from", "-10m",
                      "--format", "csv").stdout.splitlines()
        last = time.strptime(lines[-1].split(",")[0], "%Y-%m-%dT%H:%M:%SZ")
        # The flush interval, a publish, the step that the last value is rounded down to, and some
        # slack for a machine that is busy with other tests.
        assert killed - calendar.timegm(last) < 10, lines[-3:]
        agent = start("--simulate", "8xh100", config=FAST, after=agent)
        wait_for("what was kept before the kill", lambda: len(power_of_first(agent)) >= known - 3)


def test_a_damaged_file_is_set_aside_and_told(start):
    agent = start("--simulate", "8xh100", config=FAST)
    wait_for("history", lambda: power_of_first(agent))
    agent.stop()
    database = agent.directory / "state" / "history-simulated" / "history.db"
    content = bytearray(database.read_bytes())
    content[:4096] = random.Random(7).randbytes(4096)
    database.write_bytes(content)
    agent = start("--simulate", "8xh100", config=FAST, after=agent)
    wait_for("a new history", lambda: power_of_first(agent))
    assert "set the history aside" in agent.logged()
    assert list(database.parent.glob("history.db.damaged-*"))
    assert "damaged" in agent.status()["history"]["set_aside"]


def test_without_history_the_paths_say_how_to_get_it(start):
    agent = start("--simulate", "8xh100", config=FAST.replace("{flush_interval: 1s}", "{enabled: false}"))
    agent.wait_page("GPUs", lambda page: page.gpus("gpu_power_draw_watts"))
    try:
        agent.fetch("/api/v1/series?metric=gpu.power.draw")
        raise AssertionError("answered")
    except urllib.error.HTTPError as error:
        assert error.code == 404 and "history.enabled" in error.read().decode()
    assert not (agent.directory / "state" / "history-simulated").exists()
    assert json.loads(agent.fetch("/api/v1/events")[1])["events"] is not None
