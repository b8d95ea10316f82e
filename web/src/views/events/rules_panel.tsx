import { Badge, SeverityBadge } from "../../components/badge";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { AlertRule } from "../../data/api";
import { formatDuration } from "../../format";

const COLUMNS: Column<AlertRule>[] = [
  {
    title: "Rule",
    heading: true,
    sort: ({ name }) => name,
    cell: ({ name, origin }) => (
      <span class="stacked">
        <span>{name}</span>
        <span class="faint">{origin}</span>
      </span>
    ),
  },
  { title: "State", sort: rank, cell: (rule) => <State rule={rule} /> },
  {
    title: "Severity",
    sort: ({ severity }) => severity,
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  { title: "Expression", class: "wide", cell: ({ expression }) => <code>{expression}</code> },
  {
    title: "For",
    numeric: true,
    sort: (rule) => rule.for,
    cell: (rule) => formatDuration(rule.for),
  },
  {
    title: "Keeps firing",
    numeric: true,
    sort: ({ keep_firing }) => keep_firing,
    cell: ({ keep_firing }) => formatDuration(keep_firing),
  },
];

export function RulesPanel({ rules }: { rules: AlertRule[] | null }) {
  return (
    <Panel
      title="Rules"
      note={rules && rules.length > 0 ? `${rules.filter((r) => r.enabled).length} watched` : ""}
    >
      {rules?.length === 0 ? (
        <Empty title="No rules">Alerts are switched off in the agent's configuration.</Empty>
      ) : (
        <Table
          caption="Alert rules with their state"
          columns={COLUMNS}
          rows={rules ?? []}
          rowKey={({ name }) => name}
          initial={{ column: "State", descending: true }}
        />
      )}
    </Panel>
  );
}

function rank({ enabled, firing, pending }: AlertRule): number {
  return enabled ? firing * 1000 + pending : -1;
}

function State({ rule }: { rule: AlertRule }) {
  if (!rule.enabled) return <Badge tone="plain">off</Badge>;
  if (rule.firing > 0) return <Badge tone={rule.severity}>{rule.firing} firing</Badge>;
  return rule.pending > 0 ? (
    <Badge tone="info">{rule.pending} pending</Badge>
  ) : (
    <Badge tone="good">quiet</Badge>
  );
}
