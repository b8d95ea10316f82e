import { Badge } from "../../components/badge";
import { Bar } from "../../components/bar";
import { DeviceChips } from "../../components/device_chips";
import { Table, type Column } from "../../components/table";
import { busyShare, usedShare, type Workload } from "../../data/workloads";
import {
  ABSENT,
  formatBytes,
  formatDateTime,
  formatDuration,
  formatEnergy,
  formatShare,
} from "../../format";
import type { Evidence } from "./evidence";

const WASTEFUL = 0.1;
const DEVICES_SHOWN = 16;

export interface WorkloadsTableProps {
  rows: Workload[];
  evidence: Map<string, Evidence>;
  now: number | null;
}

export function WorkloadsTable({ rows, evidence, now }: WorkloadsTableProps) {
  return (
    <Table
      caption="Workloads with what they hold, use and leave idle"
      columns={columns(evidence, now)}
      rows={rows}
      rowKey={({ name }) => name}
      initial={{ column: "Idle time", descending: true }}
    />
  );
}

function columns(evidence: Map<string, Evidence>, now: number | null): Column<Workload>[] {
  return [
    {
      title: "Workload",
      heading: true,
      sort: ({ name }) => name,
      cell: (row) => <Name row={row} />,
    },
    {
      title: "Devices",
      sort: ({ devices }) => devices.length,
      cell: ({ devices }) => <DeviceChips devices={devices} most={DEVICES_SHOWN} />,
    },
    { title: "Held", numeric: true, sort: ({ held }) => held, cell: ({ held }) => held },
    {
      title: "Really used",
      numeric: true,
      sort: ({ used }) => used,
      cell: (row) => <Used row={row} />,
    },
    {
      title: "Memory",
      numeric: true,
      sort: ({ memory }) => memory,
      cell: ({ memory }) => formatBytes(memory),
    },
    {
      title: "Energy",
      numeric: true,
      sort: ({ energy }) => energy,
      cell: ({ energy }) => formatEnergy(energy),
    },
    {
      title: "Busy time",
      numeric: true,
      sort: ({ busy }) => busy,
      cell: ({ busy }) => formatDuration(busy),
    },
    {
      title: "Idle time",
      numeric: true,
      sort: ({ idle }) => idle,
      cell: (row) => <Idle row={row} />,
    },
    {
      title: "Since",
      numeric: true,
      sort: ({ since }) => since,
      cell: ({ since }) => (
        <span title={formatDateTime(since)}>
          {since && now ? formatDuration(now - since) : ABSENT}
        </span>
      ),
    },
    {
      title: "Known by",
      class: "wide",
      cell: ({ owners }) => <KnownBy owners={owners} evidence={evidence} />,
    },
  ];
}

function Name({ row }: { row: Workload }) {
  const about = [...row.kinds, ...row.tenants].filter((text) => text !== row.name);
  if (row.owners.length > 1) about.push(`${row.owners.length} owners`);
  return (
    <span class="stacked">
      <span class="owner-name" title={row.name}>
        {row.name.replace("_", " ")}
      </span>
      <span class="faint">{about.join(" · ").replace("_", " ")}</span>
    </span>
  );
}

function Used({ row }: { row: Workload }) {
  const share = usedShare(row);
  const worth = row.used === null ? "" : `${row.used.toFixed(2)} of ${row.measured.length} devices`;
  return (
    <span class="measured" title={worth}>
      <span>{formatShare(share)}</span>
      <Bar share={share} tone="use" />
    </span>
  );
}

function Idle({ row }: { row: Workload }) {
  const share = busyShare(row);
  const text = formatDuration(row.idle);
  if (share === null || share >= WASTEFUL) return <>{text}</>;
  return (
    <Badge tone="idle" title={`Busy ${formatShare(share)} of the time it had them`}>
      {text}
    </Badge>
  );
}

function KnownBy({ owners, evidence }: { owners: string[]; evidence: Map<string, Evidence> }) {
  const known = owners.flatMap((owner) => evidence.get(owner) ?? []);
  const held = [...new Set(known.flatMap((one) => one.held))];
  const used = [...new Set(known.flatMap((one) => one.used))];
  if (held.length + used.length === 0) return <span class="faint">{ABSENT}</span>;
  return (
    <span class="faint">
      {held.length > 0 && <>given: {held.join(", ")}</>}
      {held.length > 0 && used.length > 0 && " · "}
      {used.length > 0 && <>uses: {used.join(", ")}</>}
    </span>
  );
}
