"""The real binary, driven as a user would: processes, signals, HTTP."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WARPSIGHT", str(ROOT / "build" / "warpsight"))
PATIENCE = 60  # seconds until an awaited thing is given up; never a measure of speed

SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \S+)?$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def wait_for(what, condition, patience=PATIENCE, interval=0.02):
    """The first true answer of condition(); fails after `patience` seconds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(interval)
    pytest.fail(f"gave up waiting for {what}")


class Page:
    """A parsed metrics page."""

    def __init__(self, text):
        self.text = text
        self.samples = []
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            match = SAMPLE.match(line)
            assert match, f"not a sample: {line!r}"
            labels = dict(LABEL.findall(match[2] or ""))
            self.samples.append((match[1], labels, float(match[3])))

    def values(self, name, **labels):
        return [value for n, l, value in self.samples
                if n == name and all(l.get(k) == v for k, v in labels.items())]

    def value(self, name, **labels):
        found = self.values(name, **labels)
        return found[0] if found else None

    def gpus(self, name):
        return {l["gpu_index"] for n, l, _ in self.samples if n == name and "gpu_index" in l}

    def names(self):
        return {name for name, _, _ in self.samples}


class Agent:
    def __init__(self, tmp_path, arguments=(), config="", environment=None):
        self.directory = tmp_path
        self.log_path = tmp_path / "agent.log"
        self.config_path = tmp_path / "warpsight.yaml"
        self.write_config(config)
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [BINARY, "run", "--config", str(self.config_path), "--listen", "127.0.0.1:0", *arguments],
            stdout=subprocess.PIPE, stderr=self.log, env={**os.environ, **(environment or {})})

    def write_config(self, text):
        base = f"state_dir: {self.directory / 'state'}\n"
        self.config_path.write_text(base + text)

    def logged(self):
        return self.log_path.read_text(errors="replace")

    def wait_logged(self, text):
        return wait_for(f"the log to say {text!r}; it says:\n{self.logged()}",
                        lambda: self.died() or text in self.logged())

    def died(self):
        if self.process.poll() is not None:
            pytest.fail(f"the agent ended with {self.process.returncode}:\n{self.logged()}")
        return False

    @property
    def address(self):
        self.wait_logged("page: http")
        return re.search(r"page: (https?://\S+?)/", self.logged())[1]

    def get(self, path, headers=None):
        request = urllib.request.Request(self.address + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response

    def fetch(self, path, headers=None):
        request = urllib.request.Request(self.address + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.headers, response.read()

    def page(self, headers=None):
        return Page(self.fetch("/metrics", headers)[1].decode())

    def status(self):
        return json.loads(self.fetch("/api/v1/status")[1])

    def wait_page(self, what, condition):
        """The first page for which condition(page) holds."""
        def attempt():
            self.died()
            with contextlib.suppress(urllib.error.HTTPError):
                page = self.page()
                return page if condition(page) else None
        return wait_for(f"a page with {what}", attempt)

    def probes(self):
        """Process ids of the probe children."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return sorted({int(pid) for path in children for pid in path.read_text().split()})

    def stop(self, sent=signal.SIGTERM):
        """Seconds the stop took."""
        began = time.monotonic()
        self.process.send_signal(sent)
        self.process.wait(PATIENCE)
        return time.monotonic() - began

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


FAST = """
publish_interval: 1s
sources:
  nvml: {period: 500ms}
"""


@pytest.fixture
def start(tmp_path):
    agents = []

    def launch(*arguments, config=FAST, environment=None, after=None):
        """An agent with a state of its own, or with that of the ended one it comes `after`."""
        directory = after.directory if after else tmp_path / str(len(agents))
        (directory / "state").mkdir(parents=True, exist_ok=True)
        agents.append(Agent(directory, arguments, config, environment))
        return agents[-1]

    yield launch
    for agent in agents:
        agent.close()


def run(*arguments, check=True, **more):
    """One call of the binary, to its end."""
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE, **more)
    if check:
        assert done.returncode == 0, done.stderr
    return done
