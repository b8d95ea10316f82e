import { useMemo, useState, type MutableRef } from "preact/hooks";
import type { SeriesSet } from "./grid";
import { keysOf } from "./keys";
import { MarkerTip } from "./MarkerTip";
import type { Plot, Pointed } from "./plot";
import type { ChartSpec } from "./spec";
import { readingAt, summaryOf } from "./summary";
import { useTheme } from "./theme";
import type { Bounds, Line, Marker } from "./types";
import { usePlot } from "./usePlot";

export interface PlotAreaProps {
  plot: MutableRef<Plot | null>;
  spec: ChartSpec;
  set: SeriesSet;
  lines: Line[];
  hidden: ReadonlySet<string>;
  markers: Marker[];
  bounds: Bounds;
  group: string;
  height: number;
  onPoint: (index: number | null) => void;
}

// The canvas, and what goes with pointing at it.
export function PlotArea(props: PlotAreaProps) {
  const { plot, spec, set, lines, hidden, markers, bounds, group, height, onPoint } = props;
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [spoken, setSpoken] = useState("");
  const theme = useTheme();
  const picture = useMemo(
    () => ({ times: set.times, step: set.step, lines, hidden, markers, bounds }),
    [set, lines, hidden, markers, bounds],
  );
  const frame = {
    unit: spec.unit,
    top: spec.top,
    fromZero: spec.fromZero ?? true,
    states: spec.states ?? false,
    group,
    theme,
  };
  const element = usePlot(plot, frame, picture, (now) => {
    setPointed(now);
    onPoint(now?.index ?? null);
  });
  const inRange = markers.filter(({ time }) => time >= bounds.from && time <= bounds.to);
  const keys = keysOf({
    plot,
    group,
    index: pointed?.index ?? null,
    count: set.times.length,
    onMove: (index) => setSpoken(readingAt(lines, set.times, index)),
  });
  return (
    <>
      <div
        ref={element}
        class="chart-plot"
        style={{ height: `${height}px` }}
        role="img"
        tabIndex={0}
        aria-label={summaryOf(spec.title, lines, inRange)}
        onKeyDown={keys}
        onBlur={() => plot.current?.pointAt(null)}
      />
      <span class="unseen" aria-live="polite">
        {spoken}
      </span>
      {pointed?.marker && <MarkerTip group={pointed.marker} left={pointed.left} />}
    </>
  );
}
