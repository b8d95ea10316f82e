// Axes: times as the rest of the page writes them, values in their unit.
import type uPlot from "uplot";
import { formatCount, formatValue } from "../format";
import type { Theme } from "./theme";

const DAY = 86_400;
const FONT_SIZE = 11;
const VALUE_WIDTH = 62;
const LINE_HEIGHT = 15;

export function fontOf(theme: Theme, size = FONT_SIZE): string {
  return `${size}px ${theme.font}`;
}

export function timeAxis(theme: Theme): uPlot.Axis {
  return {
    ...common(theme),
    size: (_, labels) => LINE_HEIGHT * (labels?.some((label) => label?.includes("\n")) ? 2 : 1) + 10,
    space: 76,
    values: (_, splits, __, ___, step) => splits.map((time, i) => timeLabel(time, splits[i - 1], step)),
  };
}

export function valueAxis(theme: Theme, unit: string): uPlot.Axis {
  const incrs = incrementsOf(unit);
  return {
    ...common(theme),
    size: VALUE_WIDTH,
    space: 34,
    values: (_, splits, __, ___, step) => splits.map((value) => axisValue(value, unit, step)),
    ...(incrs && { incrs }),
  };
}

// Rows from the top, named at their middle.
export function rowAxis(theme: Theme, names: string[]): uPlot.Axis {
  const longest = Math.max(...names.map((name) => name.length), 0);
  return {
    ...common(theme),
    size: Math.max(VALUE_WIDTH, longest * FONT_SIZE * 0.56 + 14),
    splits: () => names.map((_, row) => names.length - row - 0.5),
    values: () => names,
    grid: { show: false },
  };
}

function common(theme: Theme): uPlot.Axis {
  return {
    stroke: theme.muted,
    font: fontOf(theme),
    grid: { stroke: theme.grid, width: 1 },
    ticks: { show: false },
    gap: 6,
  };
}

function timeLabel(time: number, before: number | undefined, step: number): string {
  const date = new Date(time * 1000);
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (step >= DAY) return day;
  const seconds = step < 60 ? `:${two(date.getSeconds())}` : "";
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
  const previous = before === undefined ? new Date() : new Date(before * 1000);
  return previous.toDateString() === date.toDateString() ? clock : `${clock}\n${day}`;
}

// Neighbours never read the same.
function axisValue(value: number, unit: string, step: number): string {
  if (value === 0) return "0";
  if (unit === "1") return `${(value * 100).toFixed(decimalsFor(Number((step * 100).toPrecision(6))))} %`;
  return unit.startsWith("{") ? formatCount(value) : formatValue(value, unit);
}

function decimalsFor(step: number): number {
  return Number.isInteger(step) ? 0 : Math.max(1, Math.ceil(-Math.log10(step)));
}

function incrementsOf(unit: string): number[] | null {
  if (unit === "By" || unit === "By/s") return Array.from({ length: 60 }, (_, power) => 2 ** power);
  if (unit === "J") return decades(-2, 9).map((wattHours) => wattHours * 3600);
  if (unit === "{request}" || unit === "{error}") return decades(0, 12);
  return null;
}

function decades(from: number, to: number): number[] {
  const powers = Array.from({ length: to - from }, (_, i) => 10 ** (from + i));
  return powers.flatMap((power) => [power, 2 * power, 5 * power]);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
