import type { NowDocument } from "../../data/api";
import { complaintsOf, type Complaint } from "../../data/complaints";
import { gpuTrees, shortModel, type GpuTree } from "../../data/devices";
import { idleHolds } from "./idle";
import type { History } from "./utilization_history";

// What is said of a GPU besides its own readings.
export interface GpuSummary {
  complaints: Complaint[]; // its own and its instances'
  byDevice: Map<string, Complaint[]>; // each device's own, by id
  idle: Set<string>; // ids of devices that are held and not used
  history: History;
  model: string; // empty where all are the same
}

export interface SummarizedTree {
  tree: GpuTree;
  summary: GpuSummary;
}

export function summarize(now: NowDocument, history: History): SummarizedTree[] {
  const idle = new Set(idleHolds(now, history).map(({ gpu }) => gpu.id));
  const byDevice = new Map(now.gpus.map((gpu) => [gpu.id, complaintsOf(now, gpu)]));
  const trees = gpuTrees(now.gpus);
  const same = commonModel(trees) !== null;
  return trees.map((tree) => {
    const all = [tree.gpu, ...tree.instances].flatMap((gpu) => byDevice.get(gpu.id) ?? []);
    const complaints = all.filter((one, i) => all.findIndex(({ text }) => text === one.text) === i);
    return {
      tree,
      summary: { complaints, byDevice, idle, history, model: same ? "" : shortModel(tree.gpu) },
    };
  });
}

// The model of all GPUs; null where they differ.
export function commonModel(trees: GpuTree[]): string | null {
  const models = new Set(trees.map(({ gpu }) => shortModel(gpu)));
  const [first] = models;
  return models.size === 1 && first !== undefined ? first : null;
}
