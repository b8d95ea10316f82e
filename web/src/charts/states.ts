// A timeline of states: one row a line, filled while it holds, stronger the more of a step it held.
import type uPlot from "uplot";
import { faded, type Theme } from "./theme";
import type { Line } from "./types";

export const ROW_HEIGHT = 24;

const FAINTEST = 0.45;

export function drawStates(u: uPlot, lines: Line[], step: number, theme: Theme): void {
  const { ctx, bbox } = u;
  const row = bbox.height / Math.max(1, lines.length);
  const pad = row * 0.18;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  lines.forEach((line, i) => {
    const top = bbox.top + i * row + pad;
    const height = row - 2 * pad;
    runsOf(line.values).forEach(({ begin, end, value }) => {
      const left = u.valToPos(u.data[0][begin] ?? 0, "x", true);
      const right = u.valToPos((u.data[0][end] ?? 0) + step, "x", true);
      const share = FAINTEST + (1 - FAINTEST) * Math.min(1, value);
      const color = theme.series[line.color % theme.series.length] ?? theme.text;
      ctx.fillStyle = value > 0 ? faded(color, share) : theme.grid;
      const thin = value > 0 ? 0 : height / 2 - 1;
      const width = Math.max(right - left, value > 0 ? 2 * devicePixelRatio : 0);
      ctx.fillRect(left, top + thin, width, height - 2 * thin);
    });
  });
  ctx.restore();
}

interface Run {
  begin: number;
  end: number;
  value: number;
}

function runsOf(values: Line["values"]): Run[] {
  const runs: Run[] = [];
  values.forEach((value, i) => {
    if (value === null) return;
    const last = runs[runs.length - 1];
    if (last && last.end === i - 1 && last.value === value) last.end = i;
    else runs.push({ begin: i, end: i, value });
  });
  return runs;
}
