// Charts as data: which series make which lines.
import type { Aggregate, Attributes } from "../data/api";
import type { Row, SeriesSet } from "./grid";
import type { Line, Look, Value } from "./types";

export type Combine = "mean" | "sum" | "max";

export interface LineSpec {
  metric: string;
  label: string | ((attributes: Attributes) => string);
  color?: number; // slot of the palette; of several lines, that of the first
  look?: Look;
  aggregate?: Aggregate; // mean when not given
  where?: Record<string, string[]>; // attributes that a series must have; "" is absent
  by?: string[]; // attributes that tell lines apart
  combine?: Combine; // of series that fall on one line; mean when not given
  whole?: string; // series without this attribute are the whole: where there are any, parts are left out
  band?: { low: string; high: string }; // metrics of what a step's values lay between
  quiet?: boolean; // left out while it is 0 all the time
  otherwise?: boolean; // only where no line before it has its label
  growth?: boolean; // of a counter: what it gained since the range began
}

export interface ChartSpec {
  id: string;
  title: string;
  unit: string;
  note?: string; // what the reader must know to read it right
  lines: LineSpec[];
  top?: number; // the y axis reaches it at least
  fromZero?: boolean; // true when not given
  states?: boolean; // rows of a timeline instead of lines
  nothing?: string; // said when all lines are quiet
}

// Metrics to ask for, by what a step says of them.
export type Wants = Partial<Record<Aggregate, string[]>>;

export interface Wanted {
  always: Wants;
  coarse: Wants; // asked for too where a step holds several values: what they lay between
}

export function wantsOf(specs: ChartSpec[]): Wanted {
  const lines = specs.flatMap((spec) => spec.lines);
  const always = lines.map((line): Want => [line.aggregate ?? "mean", line.metric]);
  const bounds = (line: LineSpec): Want[] => {
    const band = bandOf(line);
    return band ? [["min", band.low], ["max", band.high]] : [];
  };
  const explicit = lines.filter((line) => line.band).flatMap(bounds);
  const implied = lines.filter((line) => !line.band).flatMap(bounds);
  return {
    always: collected([...always, ...explicit]),
    coarse: collected(implied),
  };
}

export function linesOf(spec: ChartSpec, set: SeriesSet): Line[] {
  const lines = new Map<string, Line>();
  let color = 0;
  for (const line of spec.lines) {
    color = line.color ?? color;
    const combine = line.combine ?? "mean";
    const rows = (metric: string, aggregate: Aggregate) =>
      grouped(line, parts(line, wholes(line, rowsOf(line, set, metric, aggregate))));
    for (const [label, group] of rows(line.metric, line.aggregate ?? "mean")) {
      const values = line.growth ? growth(combined(group, combine)) : combined(group, combine);
      if (line.quiet && values.every((value) => !value)) continue;
      const kept = lines.get(label);
      if (kept && line.otherwise) continue;
      if (kept) {
        kept.values = combined([kept, { values }], combine);
        continue;
      }
      const band = bandOf(line);
      const low = band && rows(band.low, "min").get(label);
      const high = band && rows(band.high, "max").get(label);
      const extent = low && high && { low: combined(low, combine), high: combined(high, combine) };
      const look = line.look ?? "line";
      lines.set(label, { key: label, label, unit: spec.unit, look, color: color++, values, ...extent });
    }
  }
  return [...lines.values()];
}

// Whether a series of this name and these attributes can be on a line.
export function belongs(line: LineSpec, metric: string, attributes: Attributes): boolean {
  const where = Object.entries(line.where ?? {});
  return metric === line.metric && where.every(([key, values]) => values.includes(attributes[key] ?? ""));
}

type Want = [Aggregate, string];

function collected(wants: Want[]): Wants {
  const found: Wants = {};
  for (const [aggregate, metric] of wants) {
    const names = (found[aggregate] ??= []);
    if (!names.includes(metric)) names.push(metric);
  }
  return found;
}

function bandOf(line: LineSpec): LineSpec["band"] {
  if (line.band) return line.band;
  const plain = ["line", "area"].includes(line.look ?? "line") && !line.aggregate;
  return plain ? { low: line.metric, high: line.metric } : undefined;
}

function rowsOf(line: LineSpec, set: SeriesSet, metric: string, aggregate: Aggregate): Row[] {
  const wanted = { ...line, metric };
  return set.rows.filter((row) => row.aggregate === aggregate && belongs(wanted, row.metric, row.attributes));
}

function wholes(line: LineSpec, rows: Row[]): Row[] {
  const { whole } = line;
  if (!whole) return rows;
  const complete = rows.filter((row) => !row.attributes[whole]);
  return complete.length > 0 ? complete : rows;
}

const OWNER = /^((k8s|slurm|container|process|owner)\.|tenant$)/;

// What is summed must not count a thing twice: one that changed hands has a series for each owner.
function parts(line: LineSpec, rows: Row[]): Row[] {
  if (line.combine !== "sum") return rows;
  const things = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const own = Object.entries(row.attributes).filter(([key]) => !OWNER.test(key));
    const key = JSON.stringify(own.sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = things.get(key);
    if (known) known.push(row);
    else things.set(key, [row]);
  }
  return [...things.values()].map((same) => ({ ...same[0], values: combined(same, "mean") }));
}

function grouped(line: LineSpec, rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const own = Object.fromEntries((line.by ?? []).map((key) => [key, row.attributes[key] ?? ""]));
    const label = typeof line.label === "string" ? line.label : line.label(own);
    groups.set(label, [...(groups.get(label) ?? []), row]);
  }
  return groups;
}

function combined(rows: { values: Value[] }[], how: Combine): Value[] {
  const [only, ...others] = rows;
  if (!only) return [];
  if (others.length === 0) return only.values;
  return only.values.map((_, i) => {
    const there = rows.map((row) => row.values[i] ?? null).filter((value) => value !== null);
    if (there.length === 0) return null;
    if (how === "max") return Math.max(...there);
    const sum = there.reduce((a, b) => a + b, 0);
    return how === "sum" ? sum : sum / there.length;
  });
}

function growth(values: Value[]): Value[] {
  let before: Value = null;
  let gained = 0;
  return values.map((value) => {
    if (value === null) return null;
    if (before !== null) gained += value >= before ? value - before : value;
    before = value;
    return gained;
  });
}
