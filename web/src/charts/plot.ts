// One uPlot, built from what a chart shows.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { rowAxis, timeAxis, valueAxis } from "./axes";
import { listen, mouseBindings, takeSelection } from "./gestures";
import { drawMarkers, groupAt, groupMarkers, type MarkerGroup } from "./markers";
import { bandOf, boundSeries, lineSeries } from "./series";
import { drawStates } from "./states";
import type { Theme } from "./theme";
import type { Bounds, Line, Marker } from "./types";
import { isMoving } from "./zoom";

export interface Picture {
  times: number[];
  step: number;
  lines: Line[];
  hidden: ReadonlySet<string>; // keys of lines
  markers: Marker[];
  bounds: Bounds;
}

// What makes another plot of it when it changes.
export interface Frame {
  unit: string;
  top: number | undefined;
  fromZero: boolean;
  states: boolean;
  group: string; // charts whose cursors and ranges go together
  theme: Theme;
}

export interface Pointed {
  index: number; // of the times
  left: number; // CSS pixels from the element's left edge
  marker: MarkerGroup | null; // in the chart that is pointed at, not in those that follow
}

const TOP = 14;
const RIGHT = 14;

export class Plot {
  readonly u: uPlot;
  private groups: MarkerGroup[] = [];

  constructor(
    private readonly element: HTMLElement,
    private readonly frame: Frame,
    private picture: Picture,
    private readonly point: (pointed: Pointed | null) => void,
  ) {
    this.u = new uPlot(this.options(), columns(picture.lines, picture.times), element);
    listen(this.u, frame.group);
    this.update(picture);
  }

  // Only for a picture with the same lines; others need another plot (see `structure`).
  update(picture: Picture): void {
    this.picture = picture;
    const { u } = this;
    const { lines, hidden, bounds } = picture;
    u.batch(() => {
      u.setData(columns(lines, picture.times), false);
      lines.forEach((line, i) => this.show(i + 1, !hidden.has(line.key)));
      bands(lines).forEach(({ line, low, high }) => {
        this.show(low, !hidden.has(line.key));
        this.show(high, !hidden.has(line.key));
      });
      if (!isMoving()) u.setScale("x", { min: bounds.from, max: bounds.to });
    });
    const { left = -1, top = -1 } = u.cursor;
    if (left >= 0) u.setCursor({ left, top });
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width > 0 && (width !== this.u.width || height !== this.u.height)) {
      this.u.setSize({ width, height });
    }
  }

  // Puts the cursor of every chart of the group on one of this chart's times; null takes it away.
  pointAt(index: number | null): void {
    const time = index === null ? undefined : this.picture.times[index];
    for (const plot of uPlot.sync(this.frame.group).plots) {
      const left = time === undefined ? -10 : plot.valToPos(time, "x");
      plot.setCursor({ left, top: time === undefined ? -10 : 0 });
    }
  }

  destroy(): void {
    this.u.destroy();
  }

  private show(series: number, show: boolean): void {
    if (this.u.series[series]?.show !== show) this.u.setSeries(series, { show });
  }

  private options(): uPlot.Options {
    const { frame, picture, element } = this;
    const { theme, group, states } = frame;
    const { lines } = picture;
    const banded = bands(lines);
    return {
      width: Math.max(element.clientWidth, 1),
      height: Math.max(element.clientHeight, 1),
      padding: [TOP, RIGHT, 0, 0],
      legend: { show: false },
      scales: { x: { time: true, auto: false }, y: { range: (_, low, high) => this.extent(low, high) } },
      axes: [
        timeAxis(theme),
        states ? rowAxis(theme, lines.map((line) => line.label)) : valueAxis(theme, frame.unit),
      ],
      series: [{}, ...lines.map((line) => lineSeries(line, states, theme)), ...banded.flatMap(boundSeries)],
      bands: banded.map(({ line, low, high }) => bandOf(line, low, high, theme)),
      cursor: {
        y: false,
        points: { size: (_, i) => (states || i > lines.length ? 0 : 7), width: 1.5 },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        bind: mouseBindings(group),
        sync: { key: group, setSeries: false, filters: { pub: (type) => /move|leave/.test(type) } },
      },
      hooks: {
        draw: [(u) => this.drawOver(u)],
        setSelect: [takeSelection],
        setCursor: [(u) => this.point(this.pointed(u))],
      },
    };
  }

  private drawOver(u: uPlot): void {
    const { lines, hidden, step, markers } = this.picture;
    const { theme, states } = this.frame;
    if (states) drawStates(u, lines.filter((line) => !hidden.has(line.key)), step, theme);
    this.groups = groupMarkers(u, markers);
    drawMarkers(u, this.groups, theme);
  }

  private pointed(u: uPlot): Pointed | null {
    const { idx, left = -1 } = u.cursor;
    if (idx === null || idx === undefined || left < 0) return null;
    const here = this.element.matches(":hover, :focus");
    return {
      index: idx,
      left: left + u.over.offsetLeft,
      marker: here ? groupAt(this.groups, left) : null,
    };
  }

  private extent(low: number | null, high: number | null): uPlot.Range.MinMax {
    const { top, fromZero, states } = this.frame;
    if (states) return [0, Math.max(1, this.picture.lines.length)];
    if (low === null || high === null) return [0, top ?? 1];
    const [bottom, above] = uPlot.rangeNum(fromZero ? Math.min(0, low) : low, high, 0.08, fromZero);
    return [bottom, top !== undefined && high <= top ? top : above];
  }
}

// Pictures of the same structure can be drawn by the same plot.
export function structure(lines: Line[]): string {
  return lines.map(({ key, look, color, low }) => `${key} ${look} ${color} ${!!low}`).join("\n");
}

function columns(lines: Line[], times: number[]): uPlot.AlignedData {
  const bounded = bands(lines).flatMap(({ line }) => [line.low ?? [], line.high ?? []]);
  return [times, ...lines.map((line) => line.values), ...bounded];
}

// Lines with a band, and where uPlot has its bounds: behind all lines.
function bands(lines: Line[]): { line: Line; low: number; high: number }[] {
  const banded = lines.filter((line) => line.low && line.high);
  return banded.map((line, i) => ({
    line,
    low: lines.length + 1 + 2 * i,
    high: lines.length + 2 + 2 * i,
  }));
}
