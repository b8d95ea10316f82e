// A node with something of everything: eight GPUs, one lost and one with an XID, an engine, an owner
// and an alert.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "./agent.mjs";
import { Engine } from "./engine.mjs";

export const RULES = {
  rules: [
    {
      name: "MemoryInUse",
      severity: "warning",
      when: { metric: "gpu.memory.used.percent", match: { "gpu.index": "1" }, above: 1 },
      for: "0s",
      summary: "GPU {{ gpu.index }} has memory in use",
      description: "A rule that holds at once.",
    },
  ],
};

export class BusyNode {
  static async start({ listed = [[0, process.pid, 30_000, 60], [1, process.pid, 20_000, 5]] } = {}) {
    const node = new BusyNode();
    node.directory = mkdtempSync(join(tmpdir(), "warpsight-page-node-"));
    const processes = node.write("processes", listed.map((line) => `${line.join(" ")}\n`).join(""));
    const rules = node.write("rules.yaml", JSON.stringify(RULES));
    node.engine = new Engine();
    node.engineAddress = await node.engine.address();
    node.agent = new Agent({
      simulate: {
        driver: { version: "570.172.08", cuda: "12.8", uptime: "26h" },
        gpus: [{ count: 8, model: "h100", load: { wave: { min: 0.2, max: 0.95, period: "20s" } } }],
        processes: [{ gpu: [4, 5, 6, 7], pid: 41870, name: "python3", memory: "60GiB", sm: 1 }],
        processes_from: processes,
        faults: [
          { fault: "xid", at: "1s", gpu: 2, xid: 94 },
          { fault: "lost", at: "1s", gpu: 3 },
        ],
      },
      config: {
        host_name: "gpu-node-07",
        alerts: { rules: [rules] },
        sources: {
          processes: { enabled: true },
          scrape: { period: "1s", endpoints: [`http://${node.engineAddress}/metrics`] },
        },
      },
    });
    node.url = await node.agent.url();
    return node;
  }

  write(name, text) {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }

  // Everything of the above has come to pass.
  async settled() {
    return this.agent.now("a busy node", ({ engines, events, gpus }) => {
      const happened = ["gpu.xid", "gpu.lost", "alert.firing"].every((name) => events.some((one) => one.name === name));
      const served = engines[0]?.models[0]?.latency.ttft !== undefined;
      return happened && served && gpus[0].owners.length > 0;
    });
  }

  async close() {
    await this.agent.close();
    this.engine.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
