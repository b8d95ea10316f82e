// A chart in words, for those who cannot see it.
import { formatTime, formatValue } from "../format";
import type { Line, Marker, Value } from "./types";

export function lastValue(values: Value[]): Value {
  for (let i = values.length - 1; i >= 0; --i) {
    const value = values[i];
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

export function summaryOf(title: string, lines: Line[], markers: Marker[]): string {
  const parts = lines.map((line) => `${line.label}: ${wordsOf(line)}`);
  const events = markers.length > 0 ? `${markers.length} events are marked.` : "";
  return `${title}. ${parts.join("; ")}. ${events}`.trim();
}

// What the cursor stands on.
export function readingAt(lines: Line[], times: number[], index: number): string {
  const values = lines.map((line) => `${line.label} ${formatValue(line.values[index], line.unit)}`);
  return `${formatTime(times[index])}: ${values.join(", ")}`;
}

function wordsOf(line: Line): string {
  const there = line.values.filter((value) => value !== null);
  if (there.length === 0) return "nothing";
  const [last, least, most] = [
    lastValue(line.values),
    there.reduce((a, b) => Math.min(a, b)),
    there.reduce((a, b) => Math.max(a, b)),
  ].map((value) => formatValue(value, line.unit));
  return line.look === "limit" ? `${last}` : `last ${last}, lowest ${least}, highest ${most}`;
}
