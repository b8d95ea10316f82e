// The shared range, moved by hand: charts of a view follow at once, the address when the hand rests.
import uPlot from "uplot";
import { currentNow } from "../data/live";
import { currentRange, setRange, type LiveRange } from "../data/range";
import type { Bounds } from "./types";

const NARROWEST = 10;
const REST = 250;

let lastLive: LiveRange = "1h";
let moving: ReturnType<typeof setTimeout> | null = null;

// Whether a hand is on the charts: their scale must be left alone.
export function isMoving(): boolean {
  return moving !== null;
}

export function zoomTo(from: number, to: number, replace = false): void {
  noteLive();
  setRange(allowed({ from, to }), replace);
}

// As it was before somebody zoomed.
export function backToLive(): void {
  const range = currentRange();
  if (!range.live) setRange(lastLive);
}

// Shows a range in all charts of `group`; it becomes the shared one when nothing more comes.
export function moveTo(group: string, wanted: Bounds): void {
  const bounds = allowed(wanted);
  const moved = !isLive(bounds);
  if (moving) clearTimeout(moving);
  moving = setTimeout(() => settle(bounds, moved), REST);
  for (const plot of uPlot.sync(group).plots) {
    plot.setScale("x", { min: bounds.from, max: bounds.to });
  }
}

// Makes the range `factor` times as wide around a time.
export function zoomBy(group: string, now: Bounds, around: number, factor: number): void {
  const from = around - (around - now.from) * factor;
  moveTo(group, { from, to: from + (now.to - now.from) * factor });
}

export function panBy(group: string, now: Bounds, seconds: number): void {
  moveTo(group, { from: now.from + seconds, to: now.to + seconds });
}

export function shownBy(plot: uPlot): Bounds {
  return { from: plot.scales["x"]?.min ?? 0, to: plot.scales["x"]?.max ?? 1 };
}

function settle(bounds: Bounds, moved: boolean): void {
  moving = null;
  if (moved) zoomTo(bounds.from, bounds.to, !currentRange().live);
}

// Whether this is what the live range shows anyway: nothing is later.
function isLive({ from, to }: Bounds): boolean {
  const range = currentRange();
  return range.live && to >= (currentNow()?.time ?? to) && Math.abs(to - from - range.seconds) < 1;
}

function noteLive(): void {
  const range = currentRange();
  if (range.live) lastLive = range.last;
}

function allowed({ from, to }: Bounds): Bounds {
  const width = Math.max(to - from, NARROWEST);
  const latest = Math.max(currentNow()?.time ?? to, width);
  const end = Math.min(from + width, latest);
  return { from: end - width, to: end };
}
