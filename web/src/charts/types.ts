// What a chart is given to draw.
import type { Severity } from "../data/api";

export type Value = number | null;

// line: what was measured. limit: a bound to compare with, dashed. peak: the highest inside steps, thin.
// area: a line with its ground filled. step: holds until it changes (counts).
export type Look = "line" | "limit" | "peak" | "area" | "step";

export interface Line {
  key: string; // stays the same over updates, so that a hidden line stays hidden
  label: string;
  unit: string;
  look: Look;
  color: number; // slot of the palette
  values: Value[];
  low?: Value[]; // with `high`: what the values of a step lay between
  high?: Value[];
}

// A moment worth a vertical line.
export interface Marker {
  time: number;
  severity: Severity;
  title: string;
  text: string;
}

export interface Bounds {
  from: number;
  to: number;
}
