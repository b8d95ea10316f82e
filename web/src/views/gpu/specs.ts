// The charts of a GPU.
import type { ChartSpec } from "../../charts/spec";
import type { Attributes } from "../../data/api";
import { THROTTLE } from "./throttle";

export interface SpecGroup {
  title: string;
  specs: ChartSpec[];
}

const DIRECTION = "gpu.interconnect.direction";
const LINK = "gpu.interconnect.link_index";

const LOAD: ChartSpec[] = [
  {
    id: "utilization",
    title: "Utilisation",
    unit: "1",
    top: 1,
    lines: [
      {
        metric: "gpu.utilization",
        label: "a kernel ran",
        color: 0,
        band: { low: "gpu.utilization.floor", high: "gpu.utilization.peak" },
      },
      { metric: "gpu.memory.utilization", label: "memory controller", color: 1 },
      { metric: "gpu.encode.utilization", label: "encoder", color: 2, quiet: true },
      { metric: "gpu.decode.utilization", label: "decoder", color: 3, quiet: true },
    ],
  },
  {
    id: "activity",
    title: "Activity inside the GPU",
    unit: "1",
    top: 1,
    lines: [
      { metric: "gpu.sm.active", label: "SMs", color: 0 },
      { metric: "gpu.pipe.tensor.active", label: "tensor cores", color: 3 },
      { metric: "gpu.dram.active", label: "DRAM", color: 1 },
      { metric: "gpu.sm.occupancy", label: "occupancy", color: 2 },
      { metric: "gpu.gr_engine.active", label: "engine", color: 7 },
    ],
  },
  {
    id: "memory",
    title: "Memory",
    unit: "By",
    lines: [
      { metric: "gpu.memory.used", label: "used", color: 0, look: "area" },
      { metric: "gpu.memory.reserved", label: "reserved", color: 7 },
      { metric: "gpu.memory.total", label: "total", color: 0, look: "limit" },
      { metric: "gpu.memory.unified.used", label: "unified used", color: 2 },
      { metric: "gpu.memory.unified.total", label: "unified total", look: "limit" },
    ],
  },
  {
    id: "pipes",
    title: "Arithmetic pipes",
    unit: "1",
    lines: [
      { metric: "gpu.pipe.fp16.active", label: "FP16", color: 0 },
      { metric: "gpu.pipe.fp32.active", label: "FP32", color: 1 },
      { metric: "gpu.pipe.fp64.active", label: "FP64", color: 2 },
      { metric: "gpu.pipe.int.active", label: "integer", color: 3 },
    ],
  },
];

const POWER: ChartSpec[] = [
  {
    id: "power",
    title: "Power",
    unit: "W",
    lines: [
      { metric: "gpu.power.draw", label: "draw", color: 0, look: "area" },
      { metric: "gpu.power.peak", label: "peak", color: 1, look: "peak", aggregate: "max" },
      { metric: "gpu.power.limit", label: "limit", look: "limit" },
    ],
  },
  {
    id: "temperature",
    title: "Temperature",
    unit: "Cel",
    fromZero: false,
    lines: [
      { metric: "gpu.temperature", by: ["gpu.temperature.sensor"], label: sensor, color: 0 },
      { metric: "gpu.temperature.limit", by: ["gpu.temperature.threshold"], label: threshold, look: "limit" },
    ],
  },
  {
    id: "clocks",
    title: "Clocks",
    unit: "Hz",
    lines: [{ metric: "gpu.clock.frequency", by: ["gpu.clock.type"], label: named("gpu.clock.type"), color: 0 }],
  },
  {
    id: "margin",
    title: "Degrees left to the limits",
    unit: "Cel",
    lines: [{ metric: "gpu.temperature.margin", by: ["gpu.temperature.threshold"], label: threshold, color: 1 }],
  },
  {
    id: "energy",
    title: "Energy in this range",
    unit: "J",
    lines: [
      { metric: "gpu.energy.consumption", label: "energy", color: 2, aggregate: "last", growth: true, look: "area" },
    ],
  },
  { id: "fan", title: "Fan", unit: "1", top: 1, lines: [{ metric: "gpu.fan.speed", label: "speed", color: 6 }] },
  THROTTLE,
];

const TRANSFER: ChartSpec[] = [
  {
    id: "pcie",
    title: "PCIe",
    unit: "By/s",
    lines: [
      { metric: "gpu.pcie.throughput", color: 0, ...directed() },
      { metric: "gpu.pcie.io", aggregate: "rate", otherwise: true, ...directed() },
    ],
  },
  {
    id: "interconnect",
    title: "NVLink, all links",
    unit: "By/s",
    lines: [
      { metric: "gpu.interconnect.throughput", color: 0, whole: LINK, ...directed() },
      { metric: "gpu.interconnect.io", aggregate: "rate", otherwise: true, whole: LINK, ...directed() },
    ],
  },
];

const ERRORS: ChartSpec[] = [
  {
    id: "errors",
    title: "Errors counted",
    unit: "{error}",
    nothing: "No error was counted.",
    lines: [
      {
        metric: "gpu.ecc.errors",
        by: ["gpu.ecc.error_type"],
        where: { "gpu.ecc.count_type": ["volatile"] },
        label: (attributes) => `ECC ${attributes["gpu.ecc.error_type"] ?? ""}`,
        color: 0,
        ...counted(),
      },
      { metric: "gpu.xid.errors", label: "XIDs", color: 4, ...counted() },
      { metric: "gpu.pcie.replays", label: "PCIe replays", color: 2, ...counted() },
      { metric: "gpu.interconnect.errors", label: "NVLink errors", color: 3, ...counted() },
    ],
  },
  {
    id: "rows",
    title: "Memory taken out of use",
    unit: "{row}",
    nothing: "No row was remapped, no page retired.",
    lines: [
      { metric: "gpu.row_remap.rows", label: "rows remapped", color: 1, ...counted() },
      { metric: "gpu.retired_pages", label: "pages retired", color: 3, ...counted() },
    ],
  },
];

export const GROUPS: SpecGroup[] = [
  { title: "Load", specs: LOAD },
  { title: "Power and heat", specs: POWER },
  { title: "Transfer", specs: TRANSFER },
  { title: "Errors", specs: ERRORS },
];

function named(key: string) {
  return (attributes: Attributes) => (attributes[key] ?? "").replace(/_/g, " ");
}

function directed() {
  return { by: [DIRECTION], label: named(DIRECTION), combine: "sum" as const };
}

function counted() {
  return { aggregate: "last", look: "step", combine: "sum", quiet: true } as const;
}

function sensor(attributes: Attributes): string {
  const name = attributes["gpu.temperature.sensor"] ?? "";
  return name === "edge" || name === "" ? "die" : name;
}

function threshold(attributes: Attributes): string {
  return (attributes["gpu.temperature.threshold"] ?? "limit").replace(/_/g, " ");
}
