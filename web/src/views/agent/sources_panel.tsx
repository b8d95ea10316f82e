import { Badge } from "../../components/badge";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { SourceStatus } from "../../data/api";
import { formatCount, formatSeconds } from "../../format";

const COLUMNS: Column<SourceStatus>[] = [
  {
    title: "Source",
    heading: true,
    sort: ({ name }) => name,
    cell: ({ name, summary }) => (
      <span class="stacked">
        <span>{name}</span>
        <span class="faint">{summary}</span>
      </span>
    ),
  },
  { title: "State", sort: stateOf, cell: (source) => <State source={source} /> },
  {
    title: "Every",
    numeric: true,
    sort: ({ period_seconds }) => period_seconds,
    cell: ({ enabled, period_seconds }) => enabled && formatSeconds(period_seconds),
  },
  {
    title: "Takes",
    numeric: true,
    sort: ({ duration_seconds }) => duration_seconds,
    cell: ({ enabled, duration_seconds }) => enabled && formatSeconds(duration_seconds),
  },
  {
    title: "Series",
    numeric: true,
    sort: ({ series }) => series,
    cell: ({ enabled, series }) => enabled && formatCount(series),
  },
  {
    title: "Errors",
    numeric: true,
    sort: ({ errors }) => errors,
    cell: ({ enabled, errors }) => enabled && formatCount(errors),
  },
  {
    title: "Restarts",
    numeric: true,
    sort: ({ restarts }) => restarts,
    cell: ({ enabled, restarts }) => enabled && formatCount(restarts),
  },
  { title: "Last error", class: "wide", cell: ({ last_error }) => last_error },
];

export function SourcesPanel({ sources }: { sources: SourceStatus[] }) {
  const enabled = sources.filter((source) => source.enabled);
  return (
    <Panel
      title="Sources"
      note={`${enabled.filter(({ up }) => up).length} of ${enabled.length} up`}
    >
      {sources.length === 0 ? (
        <Empty title="No source is on">Nothing is read. See the configuration.</Empty>
      ) : (
        <Table
          caption="What the agent reads"
          columns={COLUMNS}
          rows={sources}
          rowKey={({ name }) => name}
        />
      )}
    </Panel>
  );
}

function stateOf({ enabled, up }: SourceStatus): string {
  return enabled ? (up ? "up" : "failing") : "off";
}

function State({ source }: { source: SourceStatus }) {
  if (!source.enabled) return <Badge tone="plain">off</Badge>;
  return (
    <span class="badges">
      {source.up ? <Badge tone="good">up</Badge> : <Badge tone="error">failing</Badge>}
      {source.simulated && <Badge tone="warning">simulated</Badge>}
    </span>
  );
}
