import type { RefObject } from "preact";
import type { Plot } from "./plot";
import { saveCsv, savePng, type Caption } from "./save";
import { useTheme } from "./theme";
import type { Line } from "./types";

export interface ActionsProps {
  plot: RefObject<Plot>;
  caption: Caption;
  times: number[];
  lines: Line[];
  table: boolean; // the numbers are shown below
  onTable: () => void;
}

export function Actions({ plot, caption, times, lines, table, onTable }: ActionsProps) {
  const theme = useTheme();
  const png = () => plot.current && savePng(plot.current.u.ctx.canvas, caption, lines, theme);
  return (
    <div class="chart-actions">
      <button type="button" aria-pressed={table} aria-label={`Table of ${caption.title}`} onClick={onTable}>
        Table
      </button>
      <button type="button" aria-label={`PNG of ${caption.title}`} title="Save as a picture" onClick={png}>
        PNG
      </button>
      <button
        type="button"
        aria-label={`CSV of ${caption.title}`}
        title="Save the numbers"
        onClick={() => saveCsv(caption, times, lines)}
      >
        CSV
      </button>
    </div>
  );
}
