import { Empty } from "../../components/empty";
import { EventList } from "../../components/event_list";
import { Panel } from "../../components/panel";
import type { NowDocument } from "../../data/api";
import { gpuTrees, units } from "../../data/devices";
import { formatDuration } from "../../format";
import { Link } from "../../router";
import { EnginesPanel } from "./engines_panel";
import { GpuPanel } from "./gpu_panel";
import { NodeTiles } from "./node_tiles";
import { OwnersPanel } from "./owners_panel";
import { useUtilizationHistory } from "./utilization_history";
import { verdictOf } from "./verdict";
import { VerdictBanner } from "./verdict_banner";

const EVENTS_SHOWN = 12;

export function NodeView({ now }: { now: NowDocument }) {
  const history = useUtilizationHistory();
  return (
    <>
      <h1 class="unseen">Node {now.host}</h1>
      <VerdictBanner verdict={verdictOf(now, history.byDevice)} detail={describe(now)} />
      {now.time === null ? (
        <Empty title="No reading yet">
          The first is published within {formatDuration(now.interval)} of the start; this page shows
          it by itself.
        </Empty>
      ) : (
        <>
          <NodeTiles now={now} />
          <GpuPanel now={now} history={history} />
          <div class="overview">
            <OwnersPanel now={now} />
            <EnginesPanel now={now} />
            <RecentEvents now={now} />
          </div>
        </>
      )}
    </>
  );
}

function RecentEvents({ now }: { now: NowDocument }) {
  return (
    <Panel title="Recent events" actions={<Link view="events">All</Link>}>
      {now.events.length === 0 ? (
        <Empty title="Nothing happened">
          XIDs, throttling, owners that come and go, and alerts appear here.
        </Empty>
      ) : (
        <EventList events={now.events.slice(0, EVENTS_SHOWN)} now={now.time} />
      )}
    </Panel>
  );
}

function describe(now: NowDocument): string {
  const trees = gpuTrees(now.gpus);
  const instances = trees.reduce((sum, tree) => sum + tree.instances.length, 0);
  const held = units(now.gpus).filter((gpu) => gpu.owners.some((owner) => owner.held)).length;
  const parts = [
    `${trees.length} GPU${trees.length === 1 ? "" : "s"}`,
    instances > 0 ? `${instances} MIG instances` : "",
    `${held} held`,
    now.engines.length > 0
      ? `${now.engines.length} engine${now.engines.length === 1 ? "" : "s"}`
      : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
