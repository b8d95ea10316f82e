import { Empty, ErrorNote } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Segments } from "../../components/segments";
import { Tile, Tiles } from "../../components/tile";
import { fetchOwners, type NowDocument } from "../../data/api";
import { units } from "../../data/devices";
import { useFetched } from "../../data/use_fetched";
import { workloads, type Grouping, type Workload } from "../../data/workloads";
import { formatDuration, formatEnergy, formatShare } from "../../format";
import { setParameters, useRoute } from "../../router";
import { evidenceByOwner } from "./evidence";
import { WorkloadsTable } from "./workloads_table";

const GROUPINGS = [
  ["owner", "Owner"],
  ["tenant", "Tenant"],
  ["kind", "Kind"],
] as const;

export function WorkloadsView({ now }: { now: NowDocument }) {
  const owners = useFetched(fetchOwners, [], 30);
  const asked = useRoute().query.get("by");
  const grouping: Grouping = asked === "tenant" || asked === "kind" ? asked : "owner";
  const rows = workloads(now, grouping);
  const choose = (by: Grouping) => setParameters({ by: by === "owner" ? null : by }, true);
  return (
    <>
      <h1>Workloads</h1>
      <Totals now={now} rows={rows} />
      <Panel
        title="Who holds and who uses"
        note="since each came; the most idle first"
        actions={
          <Segments label="Group by" options={GROUPINGS} chosen={grouping} onChoose={choose} />
        }
      >
        {owners.error && <ErrorNote error={owners.error} />}
        {rows.length === 0 ? (
          <Empty title="Nobody holds a GPU">
            When a pod, a Slurm job, a container or a process is given a GPU or uses one, it is
            listed here. If one should be, <code>warpsight owners --explain</code> says what was
            asked and answered.
          </Empty>
        ) : (
          <WorkloadsTable rows={rows} evidence={evidenceByOwner(owners.value)} now={now.time} />
        )}
      </Panel>
    </>
  );
}

function Totals({ now, rows }: { now: NowDocument; rows: Workload[] }) {
  const all = units(now.gpus);
  const held = all.filter((gpu) => gpu.owners.some((owner) => owner.held)).length;
  const used = total(rows, "used");
  const idle = total(rows, "idle");
  const busy = total(rows, "busy");
  const lived = (idle ?? 0) + (busy ?? 0);
  return (
    <Tiles>
      <Tile
        label="Held"
        value={`${held} of ${all.length}`}
        detail="GPUs and MIG instances"
        share={all.length ? held / all.length : null}
      />
      <Tile
        label="Really used"
        value={used === null ? formatShare(null) : used.toFixed(1)}
        detail="devices' worth of work now"
        share={used === null || all.length === 0 ? null : used / all.length}
      />
      <Tile
        label="Idle while held"
        value={formatDuration(idle)}
        detail={idle !== null && lived > 0 ? `${formatShare(idle / lived)} of device time` : ""}
      />
      <Tile label="Energy" value={formatEnergy(total(rows, "energy"))} detail="of present owners" />
    </Tiles>
  );
}

function total(rows: Workload[], key: "used" | "idle" | "busy" | "energy"): number | null {
  const known = rows.flatMap((row) => row[key] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
