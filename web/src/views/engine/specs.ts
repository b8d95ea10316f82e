// The charts of a serving engine's model, and of the GPUs beside it.
import type { ChartSpec, LineSpec } from "../../charts/spec";
import type { Attributes } from "../../data/api";

export const MODEL: ChartSpec[] = [
  latency("ttft", "Time to first token"),
  latency("itl", "Between tokens"),
  latency("tpot", "Per output token, mean of a request"),
  latency("request", "Whole request"),
  latency("queue", "In the queue"),
  {
    id: "requests",
    title: "Requests",
    unit: "{request}",
    lines: [
      { metric: "llm.requests.running", label: "running", color: 0, look: "area", combine: "sum" },
      { metric: "llm.requests.waiting", label: "waiting", color: 1, combine: "sum" },
    ],
  },
  {
    id: "cache",
    title: "Cache",
    unit: "1",
    top: 1,
    lines: [
      { metric: "llm.kv_cache.usage", label: "KV cache in use", color: 0 },
      { metric: "llm.prefix_cache.hits", label: "prefix hits", color: 2 },
    ],
  },
  {
    id: "throughput",
    title: "Throughput",
    unit: "{token}/s",
    lines: [
      { metric: "llm.generation.throughput", label: "generated", color: 0, combine: "sum" },
      { metric: "llm.prompt.throughput", label: "prompt", color: 2, combine: "sum" },
    ],
  },
  {
    id: "rate",
    title: "Requests finished",
    unit: "{request}/s",
    lines: [
      { metric: "llm.request.rate", label: "finished", color: 0, combine: "sum" },
      { metric: "llm.requests.failed", label: "failed", color: 4, aggregate: "rate", combine: "sum", quiet: true },
    ],
  },
  {
    id: "errors",
    title: "Share of requests that failed",
    unit: "1",
    lines: [{ metric: "llm.error.share", label: "failed", color: 4 }],
  },
  {
    id: "preemptions",
    title: "Preemptions",
    unit: "{event}/s",
    nothing: "No request was pushed out of the batch.",
    lines: [
      { metric: "llm.preemptions", label: "preempted", color: 3, aggregate: "rate", combine: "sum", quiet: true },
    ],
  },
  {
    id: "speculation",
    title: "Speculative decoding",
    unit: "1",
    top: 1,
    lines: [{ metric: "llm.spec_decode.accepted", label: "accepted share", color: 3 }],
  },
];

export const GPUS: ChartSpec[] = [
  {
    id: "gpu-utilization",
    title: "GPU utilisation",
    unit: "1",
    top: 1,
    lines: [
      { metric: "gpu.utilization", color: 0, ...eachDevice() },
      { metric: "gpu.gr_engine.active", otherwise: true, ...eachDevice() },
      { metric: "gpu.sm.active", otherwise: true, ...eachDevice() },
    ],
  },
  {
    id: "gpu-memory",
    title: "GPU memory used",
    unit: "By",
    lines: [{ metric: "gpu.memory.used", color: 0, ...eachDevice() }],
  },
  { id: "gpu-power", title: "GPU power", unit: "W", lines: [{ metric: "gpu.power.draw", color: 0, ...eachDevice() }] },
];

function latency(kind: string, title: string): ChartSpec {
  const quantile = (q: string, label: string, color: number): LineSpec => ({
    metric: "llm.latency.quantile",
    where: { "llm.latency": [kind], q: [q] },
    label,
    color,
    combine: "max",
  });
  return {
    id: `latency-${kind}`,
    title,
    unit: "s",
    lines: [quantile("0.5", "p50", 0), quantile("0.95", "p95", 1), quantile("0.99", "p99", 4)],
  };
}

function eachDevice() {
  const label = (attributes: Attributes) => {
    const instance = attributes["gpu.mig.instance_id"];
    return instance ? `MIG ${attributes["gpu.index"]}/${instance}` : `GPU ${attributes["gpu.index"]}`;
  };
  return { by: ["gpu.index", "gpu.mig.instance_id"], label };
}
