// What the views know of GPUs and MIG instances.
import type { Alert, Attributes, Gpu, NowDocument, Severity } from "./api";

// What names a device in attributes: its own UUID, the instance's where it is one.
export function deviceKey(attributes: Attributes): string {
  return attributes["gpu.mig.uuid"] ?? attributes["gpu.uuid"] ?? "";
}

export function findDevice(gpus: Gpu[], attributes: Attributes): Gpu | undefined {
  const key = deviceKey(attributes);
  if (!key) return undefined;
  return gpus.find((gpu) => gpu.id === key || deviceKey(gpu.attributes) === key);
}

export function deviceName(gpu: Gpu): string {
  return `${gpu.kind === "mig" ? "MIG" : "GPU"} ${gpu.index}`;
}

// "NVIDIA H100 80GB HBM3" as "H100 80GB HBM3".
export function shortModel(gpu: Gpu): string {
  return gpu.model.replace(/^(NVIDIA|AMD|Intel)\s+/i, "");
}

export function migProfile(gpu: Gpu): string {
  return gpu.attributes["gpu.mig.profile"] ?? "";
}

// What says how busy a device is, 0..1: the first that is there. A MIG instance has no utilization.
export const USAGE_METRICS = ["gpu.utilization", "gpu.gr_engine.active", "gpu.sm.active"];

// Null: nothing says.
export function usage({ values }: Gpu): number | null {
  return USAGE_METRICS.map((metric) => values[metric]).find((value) => value !== undefined) ?? null;
}

export function share(part: number | undefined, whole: number | undefined): number | null {
  return part === undefined || whole === undefined || whole <= 0 ? null : part / whole;
}

export function memoryShare(gpu: Gpu): number | null {
  return share(gpu.values["gpu.memory.used"], gpu.values["gpu.memory.total"]);
}

const HOT = 85;

export function isHot(gpu: Gpu): boolean {
  return (gpu.values["gpu.temperature"] ?? 0) > HOT;
}

// GPUs in their order, each with its instances.
export interface GpuTree {
  gpu: Gpu;
  instances: Gpu[];
}

export function gpuTrees(gpus: Gpu[]): GpuTree[] {
  const trees: GpuTree[] = [];
  const byId = new Map<string, GpuTree>();
  for (const gpu of gpus) {
    const parent = gpu.parent === null ? undefined : byId.get(gpu.parent);
    if (parent) {
      parent.instances.push(gpu);
      continue;
    }
    const tree = { gpu, instances: [] };
    byId.set(gpu.id, tree);
    trees.push(tree);
  }
  return trees;
}

// What can be held: instances, and GPUs that are not divided.
export function units(gpus: Gpu[]): Gpu[] {
  const divided = new Set(gpus.map((gpu) => gpu.parent));
  return gpus.filter((gpu) => !divided.has(gpu.id));
}

export function isLoud(alert: Alert): boolean {
  return alert.state === "firing" && !alert.silenced;
}

// The worst first, then the oldest.
export function bySeverity(alerts: Alert[]): Alert[] {
  const rank = { error: 0, warning: 1, info: 2 };
  return [...alerts].sort((a, b) => rank[a.severity] - rank[b.severity] || a.since - b.since);
}

// Waste is no illness.
export function alertTone(alert: Alert): Severity | "idle" {
  return alert.name === "GpuIdle" ? "idle" : alert.severity;
}

export function loudAlerts(now: NowDocument): Alert[] {
  return bySeverity(now.alerts.filter(isLoud));
}

// Whether the last thing heard of the device is that it was lost.
export function isLost(now: NowDocument, gpu: Gpu): boolean {
  const key = deviceKey(gpu.attributes);
  const told = now.events.find(
    (event) =>
      (event.name === "gpu.lost" || event.name === "gpu.back") &&
      key !== "" &&
      deviceKey(event.attributes) === key,
  );
  return told?.name === "gpu.lost";
}
