// A chart over the shared range: its head, its plot or what stands there instead, its legend.
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Empty } from "../components/empty";
import { formatTime, unitName } from "../format";
import { Actions } from "./Actions";
import "./chart.css";
import { DataTable } from "./DataTable";
import { Legend } from "./Legend";
import type { SeriesState } from "./loader";
import type { Plot } from "./plot";
import { PlotArea } from "./PlotArea";
import { linesOf, type ChartSpec } from "./spec";
import type { Caption } from "./save";
import { ROW_HEIGHT } from "./states";
import type { Bounds, Line, Marker } from "./types";

export interface ChartProps {
  spec: ChartSpec;
  state: SeriesState;
  bounds: Bounds | null;
  markers: Marker[];
  group: string; // charts with the same one share cursor and gestures
  subject: string; // what it is about, for saved files
}

const HEIGHT = 196;
const NOTE_HEIGHT = 72;
const STATES_FRAME = 56;

export function Chart({ spec, state, bounds, markers, group, subject }: ChartProps) {
  const id = useId();
  const plot = useRef<Plot | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [table, setTable] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  const { set } = state;
  const lines = useMemo(() => (set ? linesOf(spec, set) : []), [spec, set]);
  const shown = lines.filter((line) => !hidden.has(line.key));
  const drawable = set !== null && bounds !== null && lines.some(hasValues);
  const height = spec.states && drawable ? lines.length * ROW_HEIGHT + STATES_FRAME : HEIGHT;
  const room = drawable || state.loading ? height : NOTE_HEIGHT;
  const caption: Caption = { title: spec.title, subject, bounds: bounds ?? { from: 0, to: 0 } };
  const unit = spec.unit.includes("/") && spec.unit.startsWith("{") ? unitName(spec.unit) : "";
  const toggle = (key: string) => setHidden((before) => toggled(before, key));
  return (
    <div role="group" class={`chart ${spec.states ? "chart-states" : ""}`} aria-labelledby={id}>
      <header class="chart-head">
        <h3 id={id}>
          {spec.title} {unit && <span class="chart-unit">{unit}</span>}
        </h3>
        {pointed !== null && <time class="chart-time">{formatTime(set?.times[pointed])}</time>}
        {drawable && (
          <Actions
            plot={plot}
            caption={caption}
            times={set.times}
            lines={shown}
            table={table}
            onTable={() => setTable(!table)}
          />
        )}
      </header>
      {spec.note && <p class="chart-note">{spec.note}</p>}
      <div class={`chart-body ${state.loading ? "chart-loading" : ""}`} style={{ minHeight: `${room}px` }}>
        {set && !drawable && <Empty title={spec.nothing ?? "Nothing was published in this range."} />}
        {drawable && (
          <PlotArea
            plot={plot}
            spec={spec}
            set={set}
            lines={lines}
            hidden={hidden}
            markers={markers}
            bounds={bounds}
            group={group}
            height={height}
            onPoint={setPointed}
          />
        )}
      </div>
      {drawable && (
        <Legend
          lines={lines}
          hidden={hidden}
          index={pointed}
          onToggle={toggle}
        />
      )}
      {drawable && table && <DataTable title={spec.title} times={set.times} lines={shown} />}
    </div>
  );
}

function hasValues(line: Line): boolean {
  return line.values.some((value) => value !== null);
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(key)) after.add(key);
  return after;
}
