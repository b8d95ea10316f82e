import { Badge } from "../../components/badge";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { Absence } from "../../data/api";
import { formatCount } from "../../format";

const MEANINGS: Record<string, string> = {
  series_limit: "more series than may be held",
  out_of_order: "older than what was there",
  not_finite: "not a number",
  entity_gone: "of a device that had gone",
  bad_histogram: "a histogram that contradicts itself",
  events_limit: "more events than are kept",
};

export function DropsPanel({ drops }: { drops: Record<string, number> }) {
  const lost = Object.values(drops).reduce((sum, count) => sum + count, 0);
  return (
    <Panel title="Dropped inside the agent" note={lost === 0 ? "nothing" : formatCount(lost)}>
      <dl class="facts">
        {Object.entries(drops).map(([reason, count]) => (
          <div key={reason} class="fact-row">
            <dt>{MEANINGS[reason] ?? reason.replace(/_/g, " ")}</dt>
            <dd>{count > 0 ? <Badge tone="warning">{formatCount(count)}</Badge> : 0}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

interface AbsenceRow {
  metric: string;
  why: string;
  detail: string;
  devices: number;
}

const COLUMNS: Column<AbsenceRow>[] = [
  {
    title: "Metric",
    heading: true,
    sort: ({ metric }) => metric,
    cell: ({ metric }) => <code>{metric}</code>,
  },
  { title: "Why", sort: ({ why }) => why, cell: ({ why }) => why.replace(/_/g, " ") },
  { title: "On", numeric: true, sort: ({ devices }) => devices, cell: ({ devices }) => devices },
  { title: "Detail", class: "wide", cell: ({ detail }) => detail },
];

export function AbsencesPanel({ absences }: { absences: Absence[] }) {
  const rows = grouped(absences);
  return (
    <Panel title="What cannot be read" note={rows.length > 0 ? "absent, never zero" : ""}>
      {rows.length === 0 ? (
        <Empty title="Everything can be read" />
      ) : (
        <Table
          caption="Metrics that are absent, and why"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ metric, why, detail }) => `${metric} ${why} ${detail}`}
          initial={{ column: "Why", descending: false }}
        />
      )}
    </Panel>
  );
}

function grouped(absences: Absence[]): AbsenceRow[] {
  const rows = new Map<string, AbsenceRow>();
  for (const { metric, why, detail } of absences) {
    const key = `${metric} ${why} ${detail}`;
    const row = rows.get(key) ?? { metric, why, detail, devices: 0 };
    row.devices += 1;
    rows.set(key, row);
  }
  return [...rows.values()];
}
