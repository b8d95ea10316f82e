// The real agent, started for a test: a state and a port of its own, ended with the test.
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync, openSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const BINARY = process.env.WARPSIGHT;
const PATIENCE_MS = 60_000; // until an awaited thing is given up; never a measure of speed

export const FAST = `
publish_interval: 500ms
history: {flush_interval: 1s}
sources: {nvml: {period: 500ms}, host: {period: 500ms}, kmsg: {enabled: false}, processes: {enabled: false}}
`;

export async function waitFor(what, condition, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await pause(50);
  }
}

export class Agent {
  constructor({ simulate = "8xh100", config = FAST, directory, port = 0, more = [] } = {}) {
    this.directory = directory ?? mkdtempSync(join(tmpdir(), "warpsight-page-"));
    this.owns = directory === undefined;
    mkdirSync(join(this.directory, "state"), { recursive: true });
    const file = join(this.directory, "warpsight.yaml");
    writeFileSync(file, `state_dir: ${join(this.directory, "state")}\n${config}`);
    this.log = join(this.directory, `agent-${Date.now()}.log`);
    const log = openSync(this.log, "w");
    const simulation = simulate ? ["--simulate", simulate] : [];
    this.process = spawn(BINARY, ["run", "--config", file, "--listen", `127.0.0.1:${port}`, ...simulation, ...more], {
      stdio: ["ignore", "ignore", log],
    });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    closeSync(log);
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

  async stop(signal = "SIGTERM") {
    if (this.process.exitCode === null) this.process.kill(signal);
    await this.ended;
  }

  async close() {
    await this.stop("SIGKILL");
    if (this.owns) rmSync(this.directory, { recursive: true, force: true });
  }
}
