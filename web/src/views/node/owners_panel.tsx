import { DeviceChips } from "../../components/device_chips";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import { Badge } from "../../components/badge";
import type { NowDocument } from "../../data/api";
import { units } from "../../data/devices";
import { busyShare, usedShare, workloads, type Workload } from "../../data/workloads";
import { formatBytes, formatDuration, formatShare } from "../../format";
import { Link } from "../../router";
import { IDLE_SHARE } from "./idle";

const SHOWN = 8;

const COLUMNS: Column<Workload>[] = [
  {
    title: "Owner",
    heading: true,
    cell: (row) => (
      <span class="stacked">
        <span class="owner-name" title={row.name}>
          {row.name}
        </span>
        <span class="faint">{[...row.kinds, ...row.tenants].join(" · ").replace("_", " ")}</span>
      </span>
    ),
  },
  { title: "Devices", cell: ({ devices }) => <DeviceChips devices={devices} most={8} /> },
  {
    title: "Use now",
    numeric: true,
    cell: (row) => {
      const share = usedShare(row);
      return share !== null && share < IDLE_SHARE ? (
        <Badge tone="idle">{formatShare(share)}</Badge>
      ) : (
        formatShare(share)
      );
    },
  },
  { title: "Memory", numeric: true, cell: ({ memory }) => formatBytes(memory) },
  {
    title: "Idle so far",
    numeric: true,
    cell: (row) => (
      <span title={`busy ${formatShare(busyShare(row))} of its time`}>
        {formatDuration(row.idle)}
      </span>
    ),
  },
];

export function OwnersPanel({ now }: { now: NowDocument }) {
  const all = workloads(now, "owner").sort((a, b) => (b.idle ?? -1) - (a.idle ?? -1));
  const free = units(now.gpus).filter((gpu) => gpu.owners.length === 0);
  const note =
    now.gpus.length === 0 ? "" : free.length === 0 ? "all have one" : `${free.length} without one`;
  return (
    <Panel
      title="Who owns what"
      note={note}
      actions={<Link view="workloads">{all.length > SHOWN ? `All ${all.length}` : "Details"}</Link>}
    >
      {all.length === 0 ? (
        <Empty title="Nobody holds a GPU">
          Pods, Slurm jobs, containers and processes appear here as soon as they are given one or
          use one.
        </Empty>
      ) : (
        <Table
          caption="Owners, the most idle first"
          columns={COLUMNS}
          rows={all.slice(0, SHOWN)}
          rowKey={({ name }) => name}
        />
      )}
    </Panel>
  );
}
