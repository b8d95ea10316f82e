// Is this node fine, who is wasting money, what broke: one sentence and its reasons.
import type { IconName } from "../../components/icon";
import type { Gpu, NowDocument } from "../../data/api";
import { deviceName, gpuTrees, isLost } from "../../data/devices";
import { alertReasons } from "./alert_reasons";
import { idleHolds, IDLE_MINUTES } from "./idle";
import type { History } from "./utilization_history";

export type VerdictTone = "good" | "warning" | "error" | "idle" | "info";

export interface Reason {
  tone: VerdictTone;
  text: string;
  view: "gpu" | "engine" | "events" | "workloads";
  id: string;
  about?: "lost" | "silent";
  devices?: string[]; // ids of those that are idle
}

export interface Verdict {
  tone: VerdictTone;
  icon: IconName;
  headline: string;
  reasons: Reason[];
}

const MOST_IDLE_NAMED = 4;
const RANK: Record<VerdictTone, number> = { error: 0, warning: 1, idle: 2, info: 3, good: 4 };

export function verdictOf(now: NowDocument, history: History): Verdict {
  if (now.time === null) {
    return { tone: "info", icon: "info", headline: "The agent is starting", reasons: [] };
  }
  const seen = [...lostGpus(now), ...silentDrivers(now), ...engines(now), ...idle(now, history)];
  const reasons = [...seen, ...alertReasons(now, seen)].sort((a, b) => RANK[a.tone] - RANK[b.tone]);
  if (reasons.length === 0 && now.gpus.length === 0) {
    return { tone: "info", icon: "info", headline: "No GPU is seen here", reasons };
  }
  const worst = reasons[0]?.tone ?? "good";
  return { tone: worst, icon: worst, headline: headlineOf(reasons, worst), reasons };
}

function headlineOf(reasons: Reason[], worst: VerdictTone): string {
  const count = (tone: VerdictTone) => reasons.filter((reason) => reason.tone === tone).length;
  switch (worst) {
    case "error":
      return `Broken: ${plural(count("error"), "problem")}${also(count("warning"))}`;
    case "warning":
      return `Needs a look: ${plural(count("warning"), "warning")}`;
    case "idle":
      return "Healthy, but GPUs are held and not used";
    case "info":
      return "Fine, with something to know";
    case "good":
      return "All fine";
  }
}

function also(warnings: number): string {
  return warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
}

function lostGpus(now: NowDocument): Reason[] {
  const named = topLevel(now).filter((gpu) => isLost(now, gpu));
  const reasons: Reason[] = named.map((gpu) => ({
    tone: "error",
    text: `${deviceName(gpu)} is lost`,
    view: "gpu",
    id: gpu.id,
    about: "lost",
  }));
  const unnamed = (now.devices.lost ?? 0) - named.length;
  if (unnamed > 0) {
    const of = now.devices.expected ? ` of ${now.devices.expected}` : "";
    reasons.push({
      tone: "error",
      text: `${plural(unnamed, "GPU")}${of} lost`,
      view: "events",
      id: "",
      about: "lost",
    });
  }
  return reasons;
}

function silentDrivers(now: NowDocument): Reason[] {
  return topLevel(now)
    .filter((gpu) => gpu.values["gpu.driver.responsive"] === 0)
    .map((gpu) => ({
      tone: "error",
      text: `Driver silent for ${deviceName(gpu)}`,
      view: "gpu",
      id: gpu.id,
      about: "silent",
    }));
}

function engines(now: NowDocument): Reason[] {
  return now.engines
    .filter((engine) => !engine.up)
    .map((engine) => ({
      tone: "warning",
      text: `${engine.engine} at ${engine.id} is down`,
      view: "engine",
      id: engine.id,
    }));
}

function idle(now: NowDocument, history: History): Reason[] {
  const holds = idleHolds(now, history);
  const when = holds.every(({ lasting }) => lasting) ? `in the last ${IDLE_MINUTES} min` : "now";
  const owners = [...new Set(holds.map(({ owner }) => owner.name))];
  const reason = (who: string, gpus: Gpu[]): Reason => ({
    tone: "idle",
    text: `${who} ${countDevices(gpus)}, hardly used ${when}`,
    view: "workloads",
    id: "",
    devices: gpus.map(({ id }) => id),
  });
  if (owners.length > MOST_IDLE_NAMED) {
    const all = new Set(holds.map(({ gpu }) => gpu));
    return [reason(`${owners.length} owners hold`, [...all])];
  }
  return owners.map((name) => {
    const own = holds.filter(({ owner }) => owner.name === name).map(({ gpu }) => gpu);
    return reason(`${name} holds`, own);
  });
}

function countDevices(gpus: Gpu[]): string {
  const [first] = gpus;
  if (first && gpus.length === 1) return deviceName(first);
  const instances = gpus.filter((gpu) => gpu.kind === "mig").length;
  const whole = gpus.length - instances;
  return [whole ? plural(whole, "GPU") : "", instances ? plural(instances, "MIG instance") : ""]
    .filter(Boolean)
    .join(" and ");
}

function topLevel(now: NowDocument): Gpu[] {
  return gpuTrees(now.gpus).map(({ gpu }) => gpu);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
