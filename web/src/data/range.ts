// The time range that all views share, kept in the address: ?range=1h (live) or ?from=&to= (fixed).
import { currentRoute, setParameters, useRoute } from "../router";

export const LIVE_RANGES = {
  "15m": 900,
  "1h": 3600,
  "6h": 21_600,
  "24h": 86_400,
  "7d": 604_800,
  "30d": 2_592_000,
} as const;

export type LiveRange = keyof typeof LIVE_RANGES;

export type Range =
  | { live: true; last: LiveRange; seconds: number }
  | { live: false; from: number; to: number; seconds: number };

const DEFAULT: LiveRange = "1h";

export function useRange(): Range {
  return rangeOf(useRoute().query);
}

export function currentRange(): Range {
  return rangeOf(currentRoute().query);
}

// A live range by its name, or Unix seconds; null goes back to the default.
// `replace` leaves no step to go back to (panning).
export function setRange(
  range: LiveRange | { from: number; to: number } | null,
  replace = false,
): void {
  if (range === null || range === DEFAULT) {
    setParameters({ range: null, from: null, to: null }, replace);
  } else if (typeof range === "string") {
    setParameters({ range, from: null, to: null }, replace);
  } else {
    const from = range.from.toFixed(0);
    const to = Math.max(range.to, range.from + 1).toFixed(0);
    setParameters({ range: null, from, to }, replace);
  }
}

// Where a range begins and ends, in Unix seconds; a live one ends at `now`.
export function bounds(range: Range, now: number): { from: number; to: number } {
  return range.live ? { from: now - range.seconds, to: now } : { from: range.from, to: range.to };
}

function rangeOf(query: URLSearchParams): Range {
  const from = Number(query.get("from") ?? NaN);
  const to = Number(query.get("to") ?? NaN);
  if (from > 0 && to > from) return { live: false, from, to, seconds: to - from };
  const asked = query.get("range") ?? DEFAULT;
  const last = asked in LIVE_RANGES ? (asked as LiveRange) : DEFAULT;
  return { live: true, last, seconds: LIVE_RANGES[last] };
}
