// Who holds a device and does not use it.
import type { Gpu, NowDocument, Owner } from "../../data/api";
import { deviceKey, units, usage } from "../../data/devices";
import { recentMean, type History } from "./utilization_history";

export const IDLE_SHARE = 0.1;
export const IDLE_MINUTES = 30;

export interface IdleHold {
  gpu: Gpu;
  owner: Owner;
  lasting: boolean; // for IDLE_MINUTES; else there is no history to tell
}

export function idleHolds(now: NowDocument, history: History): IdleHold[] {
  return units(now.gpus).flatMap((gpu) => {
    const mean = recentMean(history.get(deviceKey(gpu.attributes)), IDLE_MINUTES);
    if (!isIdle(usage(gpu)) || (mean !== null && !isIdle(mean))) return [];
    return gpu.owners
      .filter((owner) => owner.held && heldLongEnough(owner, now))
      .map((owner) => ({ gpu, owner, lasting: mean !== null }));
  });
}

function isIdle(share: number | null): boolean {
  return share !== null && share < IDLE_SHARE;
}

function heldLongEnough(owner: Owner, now: NowDocument): boolean {
  if (!owner.since || now.time === null) return true;
  return now.time - owner.since >= IDLE_MINUTES * 60;
}
