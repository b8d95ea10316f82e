const WIDTH = 120;
const HEIGHT = 28;

export interface SparklineProps {
  values: (number | null)[];
  highest: number; // what fills the height
}

// The shape of the last while; the number beside it says where it ended.
export function Sparkline({ values, highest }: SparklineProps) {
  const runs = runsOf(values, highest);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {runs.map((points) => (
        <path key={points[0]} class="sparkline-area" d={areaOf(points)} />
      ))}
      {runs.map((points) => (
        <path key={points[0]} class="sparkline-line" d={`M${points.join("L")}`} />
      ))}
    </svg>
  );
}

// Stretches without a gap, as points "x,y"; a lone value is drawn as a short dash.
function runsOf(values: (number | null)[], highest: number): string[][] {
  const runs: string[][] = [];
  let run: string[] = [];
  const step = WIDTH / Math.max(values.length - 1, 1);
  values.forEach((value, i) => {
    if (value === null) {
      if (run.length > 0) runs.push(run);
      run = [];
      return;
    }
    const y = HEIGHT - 1 - Math.min(Math.max(value / highest, 0), 1) * (HEIGHT - 2);
    const alone = run.length === 0 && (values[i + 1] ?? null) === null;
    if (alone) run.push(pointOf(Math.max(i - 1, 0) * step, y));
    run.push(pointOf(i * step, y));
  });
  if (run.length > 0) runs.push(run);
  return runs;
}

function pointOf(x: number, y: number): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

function areaOf(points: string[]): string {
  const first = points[0]?.split(",")[0] ?? "0";
  const last = points[points.length - 1]?.split(",")[0] ?? "0";
  return `M${first},${HEIGHT}L${points.join("L")}L${last},${HEIGHT}Z`;
}
