// Events on a chart: vertical lines with a head, told apart by colour, shape and dashes.
import type uPlot from "uplot";
import type { Severity } from "../data/api";
import type { Theme } from "./theme";
import type { Marker } from "./types";

// Markers too close to be told apart on the screen.
export interface MarkerGroup {
  left: number; // CSS pixels from the plot's left edge
  severity: Severity; // the worst of them
  markers: Marker[];
}

const APART = 8;
const REACH = 8;
const HEAD = 4.5;

const RANK: Record<Severity, number> = { info: 0, warning: 1, error: 2 };
const DASHES: Record<Severity, number[]> = { info: [1, 4], warning: [5, 4], error: [] };

export function groupMarkers(u: uPlot, markers: Marker[]): MarkerGroup[] {
  const groups: MarkerGroup[] = [];
  for (const marker of [...markers].sort((a, b) => a.time - b.time)) {
    const left = u.valToPos(marker.time, "x");
    if (left < 0 || left > u.over.clientWidth) continue;
    const last = groups[groups.length - 1];
    if (!last || left - last.left > APART) {
      groups.push({ left, severity: marker.severity, markers: [marker] });
      continue;
    }
    last.markers.push(marker);
    if (RANK[marker.severity] <= RANK[last.severity]) continue;
    last.severity = marker.severity;
  }
  return groups;
}

export function groupAt(groups: MarkerGroup[], left: number): MarkerGroup | null {
  const distance = (group: MarkerGroup) => Math.abs(group.left - left);
  const near = groups.filter((group) => distance(group) <= REACH);
  return near.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

export function drawMarkers(u: uPlot, groups: MarkerGroup[], theme: Theme): void {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio;
  ctx.save();
  for (const { left, severity } of groups) {
    const x = Math.round(bbox.left + left * scale) + 0.5;
    ctx.strokeStyle = ctx.fillStyle = theme.severity[severity];
    ctx.lineWidth = scale;
    ctx.globalAlpha = severity === "info" ? 0.7 : 0.9;
    ctx.setLineDash(DASHES[severity].map((length) => length * scale));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    drawHead(ctx, severity, x, bbox.top - (HEAD + 1) * scale, HEAD * scale);
  }
  ctx.restore();
}

// info: a ring. warning: a triangle. error: a diamond.
function drawHead(
  ctx: CanvasRenderingContext2D,
  severity: Severity,
  x: number,
  y: number,
  size: number,
): void {
  ctx.beginPath();
  if (severity === "info") {
    ctx.arc(x, y, size * 0.75, 0, 2 * Math.PI);
    ctx.lineWidth = size * 0.4;
    ctx.stroke();
    return;
  }
  ctx.moveTo(x, y - size);
  ctx.lineTo(x + size, severity === "warning" ? y + size * 0.8 : y);
  if (severity === "error") ctx.lineTo(x, y + size);
  ctx.lineTo(x - size, severity === "warning" ? y + size * 0.8 : y);
  ctx.fill();
}
