import type { LatestSeries } from "../data/api";
import { Chart } from "./Chart";
import type { SeriesState } from "./loader";
import { belongs, linesOf, type ChartSpec } from "./spec";
import type { Marker } from "./types";
import { useBounds } from "./useSeries";

export interface ChartGridProps {
  title?: string; // above the charts, where there are any
  specs: ChartSpec[];
  state: SeriesState;
  latest: LatestSeries[]; // what is published now
  markers: Marker[];
  group: string;
  subject: string;
}

const PLACEHOLDERS = 2;

// Charts side by side; one whose metrics are not there now and were not in the range is left out.
export function ChartGrid({ title, specs, state, latest, markers, group, subject }: ChartGridProps) {
  const bounds = useBounds();
  const { set } = state;
  const isThere = (spec: ChartSpec) => isPublished(spec, latest) || (set && linesOf(spec, set).length > 0);
  const nothingKnown = !set && latest.length === 0;
  const shown = nothingKnown ? specs.slice(0, PLACEHOLDERS) : specs.filter(isThere);
  if (shown.length === 0) return null;
  const grid = (
    <div class="charts">
      {shown.map((spec) => (
        <Chart
          key={spec.id}
          spec={spec}
          state={state}
          bounds={bounds}
          markers={markers}
          group={group}
          subject={subject}
        />
      ))}
    </div>
  );
  if (!title) return grid;
  return (
    <section class="chart-group">
      <h2>{title}</h2>
      {grid}
    </section>
  );
}

function isPublished(spec: ChartSpec, latest: LatestSeries[]): boolean {
  return latest.some(({ metric, attributes }) => spec.lines.some((line) => belongs(line, metric, attributes)));
}
