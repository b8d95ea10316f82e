// A serving engine: a vLLM page whose counters move by themselves.
import { createServer } from "node:http";
import { once } from "node:events";

const BOUNDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
const MODEL = "meta-llama/Llama-3.1-8B-Instruct";

export class Engine {
  constructor() {
    this.waiting = 3;
    this.start = Date.now() - 60_000;
    this.server = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/plain; version=0.0.4");
      answer.end(this.page());
    });
  }

  async address() {
    if (!this.server.listening) {
      this.server.listen(0, "127.0.0.1");
      await once(this.server, "listening");
    }
    return `127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  page() {
    const labels = `engine="0",model_name="${MODEL}"`;
    const seconds = Math.floor((Date.now() - this.start) / 1000);
    const gauge = (name, value) => [`# TYPE vllm:${name} gauge`, `vllm:${name}{${labels}} ${value}`];
    const counter = (name, value, more = "") => [
      `# TYPE vllm:${name} counter`,
      `vllm:${name}_total{${labels}${more}} ${value}`,
    ];
    return [
      ...gauge("num_requests_running", 12 + (seconds % 5)),
      ...gauge("num_requests_waiting", this.waiting),
      ...gauge("kv_cache_usage_perc", 0.42),
      ...counter("prompt_tokens", seconds * 9000),
      ...counter("generation_tokens", seconds * 1800),
      ...counter("request_success", seconds * 10, ',finished_reason="stop"'),
      ...histogram("time_to_first_token_seconds", labels, { 0.07: seconds * 8, 0.3: seconds * 2 }),
      ...histogram("e2e_request_latency_seconds", labels, { 2: seconds * 8, 6: seconds * 2 }),
      ...histogram("inter_token_latency_seconds", labels, { 0.015: seconds * 900, 0.03: seconds * 100 }),
      "",
    ].join("\n");
  }
}

// `observed`: how often each value was seen.
function histogram(name, labels, observed) {
  const seen = Object.entries(observed).map(([value, count]) => [Number(value), count]);
  const upTo = (bound) => seen.reduce((sum, [value, count]) => sum + (value <= bound ? count : 0), 0);
  const sum = seen.reduce((total, [value, count]) => total + value * count, 0);
  return [
    `# TYPE vllm:${name} histogram`,
    ...BOUNDS.map((bound) => `vllm:${name}_bucket{${labels},le="${bound}"} ${upTo(bound)}`),
    `vllm:${name}_bucket{${labels},le="+Inf"} ${upTo(Infinity)}`,
    `vllm:${name}_count{${labels}} ${upTo(Infinity)}`,
    `vllm:${name}_sum{${labels}} ${sum}`,
  ];
}
