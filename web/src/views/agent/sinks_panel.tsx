import { Badge } from "../../components/badge";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { SinkStatus } from "../../data/api";
import { formatBytes, formatCount, formatDuration } from "../../format";

const COLUMNS: Column<SinkStatus>[] = [
  {
    title: "Sink",
    heading: true,
    sort: ({ name }) => name,
    cell: ({ name, target }) => (
      <span class="stacked">
        <span>{name}</span>
        <span class="faint">{target}</span>
      </span>
    ),
  },
  {
    title: "State",
    sort: ({ state }) => state,
    cell: ({ up, state }) => <Badge tone={up ? "good" : "error"}>{up ? "ok" : state}</Badge>,
  },
  { title: "Sent", numeric: true, sort: ({ sent }) => sent, cell: ({ sent }) => formatCount(sent) },
  {
    title: "Failures",
    numeric: true,
    sort: ({ failures }) => failures,
    cell: ({ failures }) => formatCount(failures),
  },
  {
    title: "Spooled",
    numeric: true,
    sort: ({ waiting_bytes }) => waiting_bytes,
    cell: (sink) => <Spooled sink={sink} />,
  },
  {
    title: "Dropped",
    numeric: true,
    sort: ({ dropped }) => dropped,
    cell: ({ dropped }) => (dropped > 0 ? <Badge tone="warning">{formatCount(dropped)}</Badge> : 0),
  },
  { title: "Last error", class: "wide", cell: ({ last_error }) => last_error },
];

export function SinksPanel({ sinks }: { sinks: SinkStatus[] }) {
  return (
    <Panel
      title="Sinks"
      note={
        sinks.length > 0 ? `${sinks.filter(({ up }) => up).length} of ${sinks.length} deliver` : ""
      }
    >
      {sinks.length === 0 ? (
        <Empty title="Nothing is sent anywhere">
          This page and <code>/metrics</code> work without. OTLP, remote write and files are set
          under <code>sinks</code>.
        </Empty>
      ) : (
        <Table
          caption="Where the agent sends to"
          columns={COLUMNS}
          rows={sinks}
          rowKey={({ name }) => name}
        />
      )}
    </Panel>
  );
}

function Spooled({ sink }: { sink: SinkStatus }) {
  if (sink.waiting_points === 0) return <>nothing</>;
  return (
    <span class="stacked">
      <span>{formatBytes(sink.waiting_bytes)}</span>
      <span class="faint">
        {formatCount(sink.waiting_points)} points, {formatDuration(sink.waiting_seconds)}
      </span>
    </span>
  );
}
