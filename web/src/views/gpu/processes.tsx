import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { Gpu, Process } from "../../data/api";
import { formatBytes, formatShare } from "../../format";

const COLUMNS: Column<Process>[] = [
  { title: "PID", cell: ({ pid }) => pid, sort: ({ pid }) => Number(pid), numeric: true, heading: true },
  { title: "Process", cell: ({ name }) => name, sort: ({ name }) => name },
  {
    title: "Owner",
    cell: ({ owner }) => owner ?? <span class="faint">not known</span>,
    sort: ({ owner }) => owner,
  },
  { title: "Memory", cell: ({ memory }) => formatBytes(memory), sort: ({ memory }) => memory, numeric: true },
  {
    title: "Utilisation",
    cell: ({ utilization }) => formatShare(utilization),
    sort: ({ utilization }) => utilization,
    numeric: true,
  },
];

export function Processes({ gpu }: { gpu: Gpu }) {
  return (
    <Panel title="Processes" note={gpu.processes.length > 0 ? String(gpu.processes.length) : ""}>
      {gpu.processes.length === 0 ? (
        <Empty title="No process uses it" />
      ) : (
        <Table
          caption="Processes on this GPU"
          columns={COLUMNS}
          rows={gpu.processes}
          rowKey={({ pid }) => pid}
          initial={{ column: "Memory", descending: true }}
        />
      )}
    </Panel>
  );
}
