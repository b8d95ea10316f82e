"""`warpsight top` in a real terminal: tmux types, resizes and reads the screen back."""
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import uuid

import pytest

from conftest import BINARY, ROOT, run, wait_for

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
UNICODE = {"LC_ALL": "C.UTF-8", "TERM": "screen-256color"}
COLOURED = re.compile(r"\x1b\[[\d;]*3[1-6]m")


class Terminal:
    """A window of a tmux of its own, in which a shell runs."""

    def __init__(self, columns, rows, environment):
        self.socket = f"warpsight-{uuid.uuid4().hex[:12]}"
        settings = [f"{key}={value}" for key, value in environment.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "env", "PS1=ready> ", *settings, "bash", "--norc", "--noprofile")
        self.wait("the shell", lambda screen: "ready>" in screen)

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-u", "-L", self.socket, *arguments], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8", "TMUX": ""})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def screen(self, escapes=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def wait(self, what, condition):
        last = []

        def attempt():
            last[:] = [self.screen()]
            return last[0] if condition(last[0]) else None
        try:
            return wait_for(what, attempt)
        except pytest.fail.Exception:
            pytest.fail(f"gave up waiting for {what}; the screen:\n{last[0]}")

    def wait_text(self, *texts):
        return self.wait(f"{texts}", lambda screen: all(text in screen for text in texts))

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.keys("Enter")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def close(self):
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def terminal():
    opened = []

    def open_one(columns=120, rows=40, environment=UNICODE):
        opened.append(Terminal(columns, rows, environment))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def attach(terminal, *agents, flags=""):
    hosts = ",".join(agent.address for agent in agents)
    terminal.type(f"{BINARY} top --host {hosts} --interval 200ms {flags}; echo ended=$?")


@pytest.fixture
def agent(start):
    launched = start("--simulate", "8xh100")
    launched.wait_page("eight GPUs", lambda page: len(page.gpus("gpu_utilization_ratio")) == 8)
    return launched


def selected(screen):
    return next((line.split()[0].lstrip("›") for line in screen.splitlines() if line.startswith("›")), None)


def test_shows_the_node_and_says_that_it_is_simulated(agent, terminal):
    screen = terminal()
    attach(screen, agent)
    text = screen.wait_text("SIMULATED", "GPUs 8", "Processes", "Engines", "Events", "last 10 minutes")
    assert re.search(r"^›0 .*\d+%.*\d+\.\d/\d+\.\dG.*\d+/700W.*\d+°C", text, re.M), text


def test_keys_select_sort_filter_and_drill_down(agent, terminal):
    screen = terminal()
    attach(screen, agent)
    screen.wait_text("GPUs 8")
    screen.keys("Down", "j")
    screen.wait("the third GPU to be selected", lambda text: selected(text) == "2")
    screen.keys("Enter")
    screen.wait_text(" GPU 2 ", "Owners", "temperature", "Esc back")
    screen.keys("Escape")
    screen.wait_text("GPUs 8")
    screen.keys("s")
    screen.wait_text("UTIL▼")
    screen.keys("r")
    screen.wait_text("UTIL▲")
    screen.keys("/", "n", "o", "n", "e", "s", "u", "c", "h")
    screen.wait_text("filter: nonesuch", "nothing matches the filter")
    screen.keys("Escape")
    screen.wait_text("GPUs 8")
    screen.keys("?")
    screen.wait_text("any key closes this")
    screen.keys("x")
    screen.wait("the help to close", lambda text: "any key closes this" not in text)
    screen.keys("p")
    screen.wait_text("PAUSED")


def test_resizes_and_gives_the_terminal_back(agent, terminal):
    screen = terminal()
    screen.type("stty -g > /dev/null; before=$(stty -g); echo kept")
    screen.wait_text("kept")
    attach(screen, agent)
    screen.wait_text("GPUs 8", "LAST 10 MIN")
    screen.resize(80, 24)
    screen.wait("the small screen", lambda text: "[Processes" in text and "LAST 10 MIN" not in text)
    screen.resize(40, 8)
    screen.wait_text("too small: 40×8")
    screen.resize(200, 60)
    screen.wait_text("GPUs 8", "LAST 10 MIN", "temperature")
    screen.keys("q")
    text = screen.wait_text("ended=0", "kept")
    assert "SIMULATED" not in text, "the screen before is back"
    screen.type("test \"$before\" = \"$(stty -g)\" && echo as-before")
    screen.wait("the settings to be as before", lambda text: "\nas-before" in text)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_give_the_terminal_back(agent, terminal, sent):
    screen = terminal()
    screen.type("before=$(stty -g)")
    attach(screen, agent)
    screen.wait_text("GPUs 8")
    shell = int(screen.tmux("display-message", "-p", "#{pane_pid}"))
    with open(f"/proc/{shell}/task/{shell}/children") as children:
        os.kill(int(children.read().split()[0]), sent)
    screen.wait_text("ended=0")
    screen.type("test \"$before\" = \"$(stty -g)\" && echo as-before")
    screen.wait("the settings to be as before", lambda text: "\nas-before" in text)


def test_without_colour_and_without_unicode(agent, terminal):
    screen = terminal(environment={"LC_ALL": "C", "TERM": "vt100", "NO_COLOR": "1"})
    attach(screen, agent)
    text = screen.wait_text("GPUs 8", "SIMULATED")
    assert text.isascii()
    assert not COLOURED.search(screen.screen(escapes=True))


def test_colour_is_used_and_switched_off_by_a_key(agent, terminal):
    screen = terminal()
    attach(screen, agent)
    screen.wait_text("GPUs 8")
    assert COLOURED.search(screen.screen(escapes=True))
    screen.keys("c")
    wait_for("the colours to go", lambda: not COLOURED.search(screen.screen(escapes=True)))


def test_several_hosts_one_of_them_dead(agent, start, terminal):
    dead = start("--simulate", "8xh100")
    dead.wait_page("GPUs", lambda page: page.gpus("gpu_utilization_ratio"))
    screen = terminal()
    attach(screen, agent, dead)
    screen.wait("both hosts", lambda text: "2 hosts" in text and text.count("SIMULATED 8xh100") == 2)
    dead.stop(signal.SIGKILL)
    screen.wait("one to be missed", lambda text: text.count("SIMULATED 8xh100") == 1)
    screen.keys("Enter")
    screen.wait_text("GPUs 8", "1/2")
    screen.keys("Escape")
    screen.wait_text("2 hosts")


def test_once_is_a_plain_table(agent):
    text = run("top", "--host", agent.address, "--once").stdout
    assert "\x1b" not in text
    assert "SIMULATED" in text
    assert len(re.findall(r"^ [0-7] .*/700W", text, re.M)) == 8, text


def test_json_is_the_document(agent):
    node = json.loads(run("top", "--host", agent.address, "--json").stdout)
    assert len(node["gpus"]) == 8 and node["simulated"] is True
    both = json.loads(run("top", "--host", f"{agent.address},{agent.address}", "--json").stdout)
    assert [len(one["gpus"]) for one in both] == [8, 8]


def test_a_host_that_does_not_answer_is_an_error():
    done = run("top", "--host", "127.0.0.1:1", "--once", check=False)
    assert done.returncode == 1
    assert "127.0.0.1:1" in done.stderr


def test_reads_by_itself_where_no_agent_runs():
    text = run("top", "--simulate", "8xh100", "--once").stdout
    assert "SIMULATED" in text
    assert len(re.findall(r"^ [0-7] .*/700W", text, re.M)) == 8, text


def test_without_a_terminal_it_says_what_to_do(agent):
    done = run("top", "--host", agent.address, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert "--once" in done.stderr


GIBI = 1 << 30
NOON = 1731672000  # 2024-11-15 12:00:00 UTC


def told_gpu(index, usage=None):
    """Without a usage it is divided, and nobody's."""
    owner = f"ml/train-{index}/worker"
    used = usage is not None
    return {"id": f"GPU-{index:04}", "kind": "gpu", "index": str(index), "model": "NVIDIA H100 80GB HBM3",
            "values": {**({"gpu.utilization": usage} if used else {}), "gpu.memory.used": 16 * GIBI * (index + 1),
                       "gpu.memory.total": 80 * GIBI, "gpu.power.draw": 120 + 150 * index, "gpu.power.limit": 700,
                       "gpu.temperature": 41 + 9 * index},
            "owners": [{"name": owner, "kind": "pod", "held": True, "busy": None, "energy": None}] * used,
            "processes": [{"pid": str(4000 + index), "name": "学習 python3", "owner": owner,
                           "memory": 15 * GIBI * (index + 1), "utilization": usage}] * used,
            "alerts": ["hot"] if index == 1 else []}


def told_instance(part, active):
    return {"id": f"MIG-{part}", "kind": "mig", "parent": "GPU-0002", "index": f"2/{part}",
            "model": "NVIDIA H100 80GB HBM3", "attributes": {"gpu.mig.profile": "1g.10gb"},
            "values": {"gpu.gr_engine.active": active, "gpu.memory.used": GIBI, "gpu.memory.total": 10 * GIBI}}


def told_node():
    return {"time": NOON, "interval": 86400, "host": "node7", "uptime": 93784,
            "gpus": [told_gpu(0, 0.07), told_gpu(1, 0.93), told_gpu(2), told_instance(0, 0.5), told_instance(1, 0)],
            "engines": [{"id": "127.0.0.1:8000", "engine": "vllm", "up": True, "gpus": ["GPU-0000"],
                         "models": [{"name": "llama-3-8b", "latency": {"ttft": {"0.95": 0.31}},
                                     "values": {"llm.requests.running": 12, "llm.kv_cache.usage": 0.42}}]}],
            "node": {"system.cpu.utilization": 0.31, "system.memory.utilization": 0.5},
            "devices": {"expected": 3, "seen": 3, "lost": 0},
            "alerts": [{"id": "hot", "name": "GpuTooHot", "state": "firing", "severity": "critical",
                        "since": NOON - 86400, "fired": NOON - 86400, "summary": "GPU 1 is too hot",
                        "attributes": {"gpu.uuid": "GPU-0001"}}],
            "events": [{"time": NOON - 60, "name": "gpu.xid", "severity": "error", "message": "XID 79 on GPU 0",
                        "attributes": {"gpu.uuid": "GPU-0000"}}]}


@pytest.fixture
def constant_agent():
    """The address of what answers as an agent would whose node never changes."""
    document = json.dumps(told_node()).encode()

    class Answers(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            known = self.path == "/api/v1/now"
            self.send_response(200 if known else 404)
            self.send_header("Content-Length", str(len(document) if known else 0))
            self.end_headers()
            if known:
                self.wfile.write(document)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_the_whole_screen_is_as_agreed(constant_agent, terminal):
    """WARPSIGHT_UPDATE_GOLDEN=1 writes the screen anew; read the difference before committing it."""
    screen = terminal(100, 30, {**UNICODE, "TZ": "UTC"})
    screen.type(f"{BINARY} top --host {constant_agent} --interval 200ms")
    drawn = screen.wait("the last process", lambda text: re.search(r"^ +4000 .*python3", text, re.M))
    # How long ago the document came is all that moves, and what stands to its right with it.
    ours, ages = re.subn(r"age (\S+)(.*?)(   )", lambda age: f"age *{age[2]}{age[3]}{' ' * (len(age[1]) - 1)}", drawn)
    assert ages == 1, drawn
    path = ROOT / "tests" / "golden" / "top_100x30.txt"
    if os.environ.get("WARPSIGHT_UPDATE_GOLDEN"):
        path.write_text(ours)
    assert ours == path.read_text(), f"differs from {path}"
