import { formatDateTime, formatValue } from "../format";
import type { Line } from "./types";

const MOST = 500;

// The numbers of a chart, newest first.
export function DataTable({ title, times, lines }: { title: string; times: number[]; lines: Line[] }) {
  const rows = times
    .map((time, i) => ({ time, i }))
    .filter(({ i }) => lines.some((line) => (line.values[i] ?? null) !== null))
    .reverse();
  return (
    <div class="table-scroll chart-table" tabIndex={0} role="region" aria-label={`${title}: data`}>
      <table>
        <caption class="unseen">{title}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map((line) => (
              <th key={line.key} scope="col" class="numeric">
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST).map(({ time, i }) => (
            <tr key={time}>
              <th scope="row">{formatDateTime(time)}</th>
              {lines.map((line) => (
                <td key={line.key} class="numeric">
                  {formatValue(line.values[i], line.unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST && <p class="note">{rows.length - MOST} older rows are in the CSV.</p>}
    </div>
  );
}
