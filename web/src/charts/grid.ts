// Answers of the history on one regular grid of times.
import type { Aggregate, Attributes, Series, SeriesDocument } from "../data/api";
import type { Bounds, Value } from "./types";

export interface Row {
  metric: string;
  unit: string;
  aggregate: Aggregate;
  attributes: Attributes;
  values: Value[];
}

export interface SeriesSet {
  step: number;
  times: number[];
  rows: Row[]; // each with a value at one of the times at least
  leftOut: number; // series that the agent did not send
}

const NICE_STEPS = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

// Seconds a point, so that a range has at most `points`; never finer than what is published.
export function stepFor(seconds: number, interval: number, points: number): number {
  const least = Math.max(seconds / points, interval);
  if (least <= interval) return Math.max(1, Math.ceil(interval));
  return NICE_STEPS.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
}

// Rows over `bounds`. Where answers overlap what is kept, the answers win. All have the same step.
// Of several answers about the same series, such as a band's, the one that leaves out most counts.
export function merge(
  kept: SeriesSet | null,
  answers: SeriesDocument[],
  step: number,
  bounds: Bounds,
): SeriesSet {
  const first = Math.floor(bounds.from / step);
  const count = Math.max(1, Math.floor(bounds.to / step) - first + 1);
  const times = Array.from({ length: count }, (_, i) => (first + i) * step);
  const rows = new Map<string, Row>();
  const take = (row: Omit<Row, "values">, from: number, values: Value[]) => {
    const key = `${row.metric} ${row.aggregate} ${identity(row.attributes)}`;
    let target = rows.get(key);
    if (!target) {
      target = { ...row, values: new Array<Value>(count).fill(null) };
      rows.set(key, target);
    }
    place(target.values, Math.round(from / step) - first, values);
  };
  for (const row of kept?.rows ?? []) take(row, kept?.times[0] ?? 0, row.values);
  for (const answer of answers) {
    for (const series of answer.series) {
      take(rowOf(series, answer.aggregate), answer.times[0] ?? 0, series.values);
    }
  }
  const seen = [...rows.values()].filter((row) => row.values.some((value) => value !== null));
  return { step, times, rows: seen, leftOut: Math.max(kept?.leftOut ?? 0, leftOutOf(answers)) };
}

// The last time at which anything has a value.
export function lastTime(set: SeriesSet): number | null {
  for (let i = set.times.length - 1; i >= 0; --i) {
    if (set.rows.some((row) => row.values[i] !== null)) return set.times[i] ?? null;
  }
  return null;
}

function leftOutOf(answers: SeriesDocument[]): number {
  const sums = new Map<Aggregate, number>();
  for (const { aggregate, left_out } of answers) sums.set(aggregate, (sums.get(aggregate) ?? 0) + left_out);
  return Math.max(0, ...sums.values());
}

function rowOf(series: Series, aggregate: Aggregate): Omit<Row, "values"> {
  const { metric, unit, attributes } = series;
  return { metric, unit, aggregate, attributes };
}

function identity(attributes: Attributes): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function place(target: Value[], at: number, values: Value[]): void {
  const begin = Math.max(0, -at);
  const end = Math.min(values.length, target.length - at);
  for (let i = begin; i < end; ++i) target[at + i] = values[i] ?? null;
}
