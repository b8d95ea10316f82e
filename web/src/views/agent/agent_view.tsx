import { Empty, ErrorNote } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Tile, Tiles } from "../../components/tile";
import {
  fetchLatest,
  fetchStatus,
  type LatestSeries,
  type NowDocument,
  type StatusDocument,
} from "../../data/api";
import { useFetched } from "../../data/use_fetched";
import { formatBytes, formatCount, formatDuration, formatSeconds } from "../../format";
import { HistoryPanel } from "./history_panel";
import { AbsencesPanel, DropsPanel } from "./losses_panel";
import { SinksPanel } from "./sinks_panel";
import { SourcesPanel } from "./sources_panel";

const SELF = ["warpsight.memory.usage", "warpsight.cpu.time"];

export function AgentView({ now }: { now: NowDocument }) {
  const status = useFetched(fetchStatus, []);
  const self = useFetched((signal) => fetchLatest({ metrics: SELF }, signal), []);
  return (
    <>
      <h1>Agent</h1>
      {status.error && <ErrorNote error={status.error} />}
      {status.value ? (
        <>
          <AgentTiles status={status.value} self={self.value?.series ?? []} now={now} />
          <SourcesPanel sources={status.value.sources} />
          <SinksPanel sinks={status.value.sinks} />
          <div class="columns">
            <HistoryPanel history={status.value.history} />
            <DropsPanel drops={status.value.drops} />
            <FoundPanel found={status.value.found} />
          </div>
          <AbsencesPanel absences={status.value.absences} />
        </>
      ) : (
        status.loading && <Empty title="Asking the agent…" />
      )}
    </>
  );
}

interface AgentTilesProps {
  status: StatusDocument;
  self: LatestSeries[];
  now: NowDocument;
}

function AgentTiles({ status, self, now: { uptime, interval } }: AgentTilesProps) {
  const memory = total(self, "warpsight.memory.usage");
  const cpu = total(self, "warpsight.cpu.time");
  const spooled = status.sinks.reduce((sum, sink) => sum + sink.waiting_bytes, 0);
  const dropped = status.sinks.reduce((sum, sink) => sum + sink.dropped, 0);
  return (
    <Tiles>
      <Tile label="Version" value={status.version} detail={status.host} />
      <Tile label="Up for" value={formatDuration(uptime)} />
      <Tile
        label="Last publish"
        value={status.publish ? `${formatCount(status.publish.samples)} values` : "none yet"}
        detail={`every ${formatSeconds(interval)}`}
      />
      <Tile label="Memory" value={formatBytes(memory)} detail="of the agent and its children" />
      <Tile
        label="CPU"
        value={formatSeconds(cpu)}
        detail={
          cpu !== null && uptime > 0 ? `${((cpu / uptime) * 100).toFixed(2)} % of a core` : ""
        }
      />
      <Tile label="Spooled" value={formatBytes(spooled)} detail="waiting for a peer" />
      <Tile label="Lost by sinks" value={formatCount(dropped)} detail="points" />
    </Tiles>
  );
}

function FoundPanel({ found }: { found: string[] }) {
  return (
    <Panel title="Found at the start">
      {found.length === 0 ? (
        <Empty title="Nothing" />
      ) : (
        <ul class="found">
          {found.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function total(series: LatestSeries[], metric: string): number | null {
  const known = series.flatMap((one) => (one.metric === metric ? (one.value ?? []) : []));
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
