// What holds a GPU's clocks down, as a timeline and as marks on the other charts.
import type { SeriesSet } from "../../charts/grid";
import { linesOf, type ChartSpec } from "../../charts/spec";
import type { Marker } from "../../charts/types";
import type { Attributes } from "../../data/api";

const CAUSE = "gpu.throttle.cause";

const CAUSES: Record<string, string> = {
  sw_power_cap: "power cap",
  hw_power_brake: "power brake (hardware)",
  sw_thermal: "thermal (software)",
  hw_thermal: "thermal (hardware)",
  hw_slowdown: "slowdown (hardware)",
  applications_clocks: "application clocks",
  sync_boost: "sync boost",
  display_clocks: "display clocks",
  board_limit: "board limit",
  reliability: "reliability limit",
};

const ofThrottle = {
  by: [CAUSE],
  label: (attributes: Attributes) => causeName(attributes[CAUSE] ?? ""),
  combine: "max" as const,
  quiet: true,
};

// Rows of a timeline, one a cause.
export const THROTTLE: ChartSpec = {
  id: "throttle",
  title: "What held the clocks down",
  unit: "1",
  note: "The stronger the colour, the more of the time.",
  states: true,
  nothing: "Nothing held the clocks down in this range.",
  lines: [
    { metric: "gpu.throttle.reason", color: 1, ...ofThrottle },
    { metric: "gpu.throttle.time", aggregate: "rate", where: { [CAUSE]: Object.keys(CAUSES) }, ...ofThrottle },
  ],
};

const APART = 0.05; // of the range: shorter pauses do not end a throttle

// Where throttling began; what flickers is marked once.
export function throttleMarkers(set: SeriesSet): Marker[] {
  const pause = set.times.length * APART;
  return linesOf(THROTTLE, set).flatMap((line) => {
    const markers: Marker[] = [];
    let last = 0;
    line.values.forEach((value, i) => {
      if (!value) return;
      const time = set.times[i] ?? 0;
      if (i - last > pause) markers.push(markerOf(line.label, time));
      last = i;
    });
    return markers;
  });
}

function markerOf(cause: string, time: number): Marker {
  const serious = /thermal|hardware|limit/.test(cause);
  return { time, severity: serious ? "warning" : "info", title: "Throttled", text: `by ${cause}` };
}

function causeName(cause: string): string {
  return CAUSES[cause] ?? cause.replace(/_/g, " ");
}
