import { useState } from "preact/hooks";
import { Empty, ErrorNote } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { ApiError, LatestSeries } from "../../data/api";
import { formatValue } from "../../format";

// Attributes that all series of a device share say nothing about one of them.
const SHARED = /^(gpu\.(index|uuid|model|vendor|mig\..*)|simulated)$/;

const COLUMNS: Column<LatestSeries>[] = [
  { title: "Metric", cell: ({ metric }) => <code>{metric}</code>, sort: ({ metric }) => metric, heading: true },
  { title: "Attributes", cell: (row) => <span class="raw-attributes">{ownAttributes(row)}</span>, sort: ownAttributes },
  { title: "Value", cell: ({ value, unit }) => formatValue(value, unit), sort: ({ value }) => value, numeric: true },
  { title: "As it is", cell: ({ value, unit }) => `${value ?? ""} ${unit}`, class: "faint", numeric: true },
];

// Every series of the device as it was last published.
export function RawTable({ series, error }: { series: LatestSeries[]; error: ApiError | null }) {
  const [filter, setFilter] = useState("");
  const [copied, setCopied] = useState(false);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = series.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word)));
  const copy = async () => {
    await navigator.clipboard.writeText(rows.map(textOf).join("\n"));
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  const actions = (
    <>
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter by metric or attribute"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      {window.isSecureContext && (
        <button type="button" onClick={() => void copy()}>
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </>
  );
  return (
    <Panel title="All values" note={`${rows.length} of ${series.length}`} actions={actions} class="raw">
      {error && <ErrorNote error={error} />}
      {rows.length === 0 ? (
        <Empty title={series.length === 0 ? "Nothing was published for it" : "Nothing matches the filter"} />
      ) : (
        <Table
          caption="Every value of this device"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => `${row.metric} ${JSON.stringify(row.attributes)}`}
        />
      )}
    </Panel>
  );
}

function ownAttributes({ attributes }: LatestSeries): string {
  const own = Object.entries(attributes).filter(([key]) => !SHARED.test(key));
  return own.map(([key, value]) => `${key}=${value}`).join(" ");
}

function textOf(row: LatestSeries): string {
  return [row.metric, ownAttributes(row), row.value ?? "", row.unit].filter((part) => part !== "").join("\t");
}
