import { formatValue } from "../format";
import { lastValue } from "./summary";
import type { Line } from "./types";

export interface LegendProps {
  lines: Line[];
  hidden: ReadonlySet<string>;
  index: number | null; // of the times; null: the last values are told
  onToggle: (key: string) => void;
}

// Names the lines, tells their values at the cursor, and hides them on a click.
export function Legend({ lines, hidden, index, onToggle }: LegendProps) {
  return (
    <div class="chart-legend">
      {lines.map((line) => (
        <button
          key={line.key}
          type="button"
          class={`chart-entry look-${line.look}`}
          aria-pressed={!hidden.has(line.key)}
          onClick={() => onToggle(line.key)}
        >
          <span class={`swatch slot-${(line.color % 8) + 1}`} aria-hidden="true" />
          <span>{line.label}</span>
          <span class="chart-value">{valueOf(line, index)}</span>
        </button>
      ))}
    </div>
  );
}

function valueOf(line: Line, index: number | null): string {
  const value = index === null ? lastValue(line.values) : line.values[index];
  return formatValue(value, line.unit.startsWith("{") ? "" : line.unit);
}
