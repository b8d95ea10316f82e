// How lines look.
import uPlot from "uplot";
import { faded, type Theme } from "./theme";
import type { Line } from "./types";

const WIDTHS: Record<Line["look"], number> = { line: 1.75, area: 1.75, step: 1.75, peak: 1, limit: 1.25 };
const POINT = 4; // CSS pixels

const stepped = uPlot.paths.stepped?.({ align: 1 });

export function colorOf(line: Line, theme: Theme): string {
  if (line.look === "limit") return theme.limit;
  return theme.series[line.color % theme.series.length] ?? theme.text;
}

export function lineSeries(line: Line, states: boolean, theme: Theme): uPlot.Series {
  const color = colorOf(line, theme);
  return {
    label: line.label,
    stroke: line.look === "peak" ? faded(color, 0.7) : color,
    width: WIDTHS[line.look],
    points: { show: true, size: POINT, filter: lonely, fill: color },
    ...(line.look === "limit" && { dash: [6, 4] }),
    ...(line.look === "area" && { fill: faded(color, 0.14) }),
    ...(line.look === "step" && stepped && { paths: stepped }),
    ...(states && { paths: () => null, points: { show: false } }),
  };
}

// What lies between two of the plot's series.
export function bandOf(line: Line, low: number, high: number, theme: Theme): uPlot.Band {
  return { series: [high, low], fill: faded(colorOf(line, theme), 0.18) };
}

// The two that a band lies between; not seen themselves.
export function boundSeries(): uPlot.Series[] {
  const bound: uPlot.Series = { width: 0, stroke: "transparent", points: { show: false } };
  return [bound, { ...bound }];
}

// Values between two gaps whose line would be too short to be seen.
function lonely(u: uPlot, series: number): number[] | null {
  const times = u.data[0];
  const values = u.data[series];
  if (!values) return null;
  const found: number[] = [];
  for (let first = 0; first < values.length; ++first) {
    if (!isThere(values[first])) continue;
    let last = first;
    while (isThere(values[last + 1])) ++last;
    const x = (index: number) => u.valToPos(times[index] ?? 0, "x");
    if (x(last) - x(first) < POINT) for (let i = first; i <= last; ++i) found.push(i);
    first = last;
  }
  return found;
}

function isThere(value: number | null | undefined): boolean {
  return value !== null && value !== undefined;
}
