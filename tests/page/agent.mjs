// The real agent, started for a test: a state and a port of its own, ended with the test.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const BINARY = process.env.WARPSIGHT ?? "build/dev/warpsight";
const PATIENCE_MS = 60_000; // until an awaited thing is given up; never a measure of speed

const running = new Set();

const FAST = {
  publish_interval: "500ms",
  history: { flush_interval: "1s" },
  sources: {
    nvml: { period: "500ms" },
    host: { period: "1s" },
    kmsg: { enabled: false },
    processes: { enabled: false },
    scrape: { discover: false },
  },
};

export async function waitFor(what, condition, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await pause(50);
  }
}

// `config` is laid over one that publishes often; `simulate` is a scenario's name, or an object: the
// scenario itself; null: none. `directory` and `port` are those of an agent that is to be followed.
export class Agent {
  constructor({ simulate = "8xh100", config = {}, directory, port = 0 } = {}) {
    this.directory = directory ?? mkdtempSync(join(tmpdir(), "warpsight-page-"));
    this.owns = directory === undefined;
    const state = join(this.directory, "state");
    mkdirSync(state, { recursive: true });
    const file = this.write("warpsight.yaml", merged({ state_dir: state, ...FAST }, config));
    const scenario = simulate && typeof simulate === "object" ? this.write("scenario.yaml", simulate) : simulate;
    this.log = join(this.directory, `agent-${Date.now()}.log`);
    const log = openSync(this.log, "w");
    const simulation = scenario ? ["--simulate", scenario] : [];
    this.process = spawn(BINARY, ["run", "--config", file, "--listen", `127.0.0.1:${port}`, ...simulation], {
      stdio: ["ignore", "ignore", log],
    });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.unref();
    running.add(this);
    closeSync(log);
  }

  // A file of the agent's; an object is written as JSON, which YAML contains.
  write(name, content) {
    const path = join(this.directory, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  logged() {
    return readFileSync(this.log, "utf8");
  }

  // Where the page is; waits until it is served.
  async url() {
    const found = await waitFor("the page's address", () => {
      if (this.process.exitCode !== null) throw new Error(`the agent ended:\n${this.logged()}`);
      return this.logged().match(/page: (https?:\/\/[^/\s]+)\//);
    });
    return found[1];
  }

  async port() {
    return Number(new URL(await this.url()).port);
  }

  async ask(path) {
    const answer = await fetch(`${await this.url()}/api/v1/${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  // The node as the agent tells it, once `condition` holds.
  async now(what = "a publish", condition = () => true) {
    return waitFor(what, async () => {
      const now = await this.ask("now");
      return now.time !== null && condition(now) && now;
    });
  }

  async stop(signal = "SIGTERM") {
    this.process.ref();
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    await this.ended;
    running.delete(this);
  }

  async close() {
    await this.stop("SIGKILL");
    this.clean();
  }

  clean() {
    if (this.owns) rmSync(this.directory, { recursive: true, force: true });
  }
}

// A test that failed leaves its agent behind.
process.once("exit", () => {
  for (const agent of running) {
    agent.process.kill("SIGKILL");
    agent.clean();
  }
});

function merged(base, changes) {
  const result = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const both = isMap(value) && isMap(base[key]);
    result[key] = both ? merged(base[key], value) : value;
  }
  return result;
}

function isMap(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
