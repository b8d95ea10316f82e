import { Bar, memoryTone } from "../../components/bar";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { Gpu } from "../../data/api";
import { memoryShare, migProfile, usage } from "../../data/devices";
import { formatBytes, formatShare } from "../../format";
import { Link } from "../../router";

const COLUMNS: Column<Gpu>[] = [
  {
    title: "Instance",
    cell: ({ id, index }) => (
      <Link view="gpu" id={id}>
        {index}
      </Link>
    ),
    sort: ({ index }) => index,
    heading: true,
  },
  { title: "Profile", cell: migProfile, sort: migProfile },
  {
    title: "Use",
    cell: (gpu) => (
      <span class="measured">
        <span>{formatShare(usage(gpu))}</span>
        <Bar share={usage(gpu)} tone="use" />
      </span>
    ),
    sort: usage,
    numeric: true,
  },
  {
    title: "Memory",
    cell: (gpu) => (
      <span class="measured">
        <span>
          {formatBytes(gpu.values["gpu.memory.used"])} of {formatBytes(gpu.values["gpu.memory.total"])}
        </span>
        <Bar share={memoryShare(gpu)} tone={memoryTone(memoryShare(gpu))} />
      </span>
    ),
    sort: memoryShare,
    numeric: true,
  },
  {
    title: "Owner",
    cell: ({ owners }) => owners.map(({ name }) => name).join(", ") || <span class="faint">none</span>,
    sort: ({ owners }) => owners[0]?.name,
  },
];

// The parts of a GPU that MIG divides; nothing for another.
export function Instances({ gpus }: { gpus: Gpu[] }) {
  if (gpus.length === 0) return null;
  return (
    <Panel title="MIG instances" note={String(gpus.length)}>
      <Table caption="MIG instances of this GPU" columns={COLUMNS} rows={gpus} rowKey={({ id }) => id} />
    </Panel>
  );
}
