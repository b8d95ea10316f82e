import { Bar, memoryTone } from "../../components/bar";
import { Health } from "../../components/health";
import { Sparkline } from "../../components/sparkline";
import { Table, type Column } from "../../components/table";
import type { Gpu } from "../../data/api";
import type { Complaint } from "../../data/complaints";
import {
  deviceKey,
  deviceName,
  isHot,
  memoryShare,
  migProfile,
  share,
  usage,
} from "../../data/devices";
import { ABSENT, formatShare, formatValue, gibibytes } from "../../format";
import { Link } from "../../router";
import { OwnerNames } from "./gpu_parts";
import type { GpuSummary, SummarizedTree } from "./gpu_summary";

interface Row {
  gpu: Gpu;
  position: number;
  summary: GpuSummary;
}

const COLUMNS: Column<Row>[] = [
  {
    title: "GPU",
    heading: true,
    sort: ({ position }) => position,
    cell: ({ gpu, summary }) => (
      <>
        <Link view="gpu" id={gpu.id} class={gpu.kind === "mig" ? "instance" : ""}>
          {deviceName(gpu)}
        </Link>{" "}
        <span class="faint">{gpu.kind === "mig" ? migProfile(gpu) : summary.model}</span>
      </>
    ),
  },
  {
    title: "Health",
    sort: (row) => complaintsIn(row).length,
    cell: (row) => <Health complaints={complaintsIn(row)} most={2} />,
  },
  {
    title: "Use",
    numeric: true,
    sort: ({ gpu }) => usage(gpu),
    cell: ({ gpu }) => <Measured share={usage(gpu)} tone="use" text={formatShare(usage(gpu))} />,
  },
  {
    title: "Last hour",
    cell: ({ gpu, summary }) => {
      const history = summary.history.get(deviceKey(gpu.attributes));
      return history ? (
        <Sparkline values={history} highest={1} />
      ) : (
        <span class="faint">{ABSENT}</span>
      );
    },
  },
  {
    title: "Memory",
    numeric: true,
    sort: ({ gpu }) => memoryShare(gpu),
    cell: ({ gpu }) => (
      <Measured
        share={memoryShare(gpu)}
        tone={memoryTone(memoryShare(gpu))}
        text={`${gibibytes(gpu.values["gpu.memory.used"])} / ${gibibytes(gpu.values["gpu.memory.total"])} GiB`}
      />
    ),
  },
  {
    title: "Power",
    numeric: true,
    sort: ({ gpu }) => gpu.values["gpu.power.draw"],
    cell: ({ gpu }) =>
      gpu.kind === "gpu" && (
        <Measured
          share={share(gpu.values["gpu.power.draw"], gpu.values["gpu.power.limit"])}
          tone="power"
          text={formatValue(gpu.values["gpu.power.draw"], "W")}
        />
      ),
  },
  {
    title: "Heat",
    numeric: true,
    sort: ({ gpu }) => gpu.values["gpu.temperature"],
    cell: ({ gpu }) =>
      gpu.kind === "gpu" && (
        <span class={isHot(gpu) ? "tone-error" : ""}>
          {formatValue(gpu.values["gpu.temperature"], "Cel")}
        </span>
      ),
  },
  {
    title: "Owner",
    sort: ({ gpu }) => gpu.owners[0]?.name,
    cell: ({ gpu, summary }) => <OwnerNames gpu={gpu} idle={summary.idle.has(gpu.id)} />,
  },
];

export function GpuRows({ trees }: { trees: SummarizedTree[] }) {
  const rows = trees
    .flatMap(({ tree, summary }) => [
      { gpu: tree.gpu, summary },
      ...tree.instances.map((gpu) => ({ gpu, summary })),
    ])
    .map((row, position) => ({ ...row, position }));
  return (
    <Table
      caption="Every GPU and MIG instance"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ gpu }) => gpu.id}
    />
  );
}

function complaintsIn({ gpu, summary }: Row): Complaint[] {
  return summary.byDevice.get(gpu.id) ?? [];
}

interface MeasuredProps {
  share: number | null;
  tone: "use" | "memory" | "power" | "warning" | "error";
  text: string;
}

function Measured({ share: part, tone, text }: MeasuredProps) {
  return (
    <span class="measured">
      <span>{text}</span>
      <Bar share={part} tone={tone} />
    </span>
  );
}
