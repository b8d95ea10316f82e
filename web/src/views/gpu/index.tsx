import { useCallback, useMemo } from "preact/hooks";
import { ChartGrid } from "../../charts/ChartGrid";
import { LeftOut } from "../../charts/LeftOut";
import { wantsOf } from "../../charts/spec";
import { markerOf, useEvents } from "../../charts/useEvents";
import { useSeries } from "../../charts/useSeries";
import { Empty, ErrorNote } from "../../components/empty";
import { EventList } from "../../components/event_list";
import { Panel } from "../../components/panel";
import { fetchLatest, type AgentEvent, type Gpu, type NowDocument } from "../../data/api";
import { deviceName } from "../../data/devices";
import { useNow } from "../../data/live";
import { useFetched } from "../../data/use_fetched";
import { Link } from "../../router";
import "./device.css";
import { Headline } from "./headline";
import { Instances } from "./instances";
import { Links } from "./links";
import { Processes } from "./processes";
import { RawTable } from "./raw_table";
import { GROUPS } from "./specs";
import { throttleMarkers } from "./throttle";

const EVENTS_SHOWN = 20;
const WANTED = wantsOf(GROUPS.flatMap((group) => group.specs));

// Everything about one GPU or MIG instance, by its id.
export default function GpuView({ id }: { id: string }) {
  const now = useNow();
  const gpu = now?.gpus.find((one) => one.id === id);
  if (!now) return null;
  if (gpu) return <Known key={id} now={now} gpu={gpu} />;
  return (
    <>
      <h1 class="unseen">No such GPU</h1>
      <Empty title={`No GPU ${id} was seen at the last publish`}>
        It may have been removed, or the address is an old one. <Link view="node">All GPUs of this node</Link>
      </Empty>
    </>
  );
}

function Known({ now, gpu }: { now: NowDocument; gpu: Gpu }) {
  const match = matchersOf(gpu);
  const state = useSeries(WANTED, match);
  const latest = useFetched((signal) => fetchLatest({ match }, signal), match);
  const events = useEvents([`gpu.uuid=${uuidOf(gpu)}`], useConcerns(gpu));
  const markers = useMemo(
    () => [...events.map(markerOf), ...(state.set ? throttleMarkers(state.set) : [])],
    [events, state.set],
  );
  const published = latest.value?.series ?? [];
  const subject = `${now.host} ${deviceName(gpu)}`;
  const charts = { state, latest: published, markers, group: `gpu ${gpu.id}`, subject };
  return (
    <div class="device-view">
      <Headline now={now} gpu={gpu} />
      {state.error ? (
        <ErrorNote error={state.error} />
      ) : (
        GROUPS.map(({ title, specs }) => <ChartGrid key={title} {...charts} title={title} specs={specs} />)
      )}
      <LeftOut state={state} />
      <Instances gpus={now.gpus.filter((one) => one.parent === gpu.id)} />
      <Processes gpu={gpu} />
      <Links series={published} />
      <Panel title="Events" note="of this range, newest first">
        {events.length > 0 ? (
          <EventList events={events.slice(0, EVENTS_SHOWN)} now={null} />
        ) : (
          <Empty title="Nothing happened in this range" />
        )}
      </Panel>
      <RawTable series={published} error={latest.error} />
    </div>
  );
}

function uuidOf(gpu: Gpu): string {
  return gpu.attributes["gpu.uuid"] ?? gpu.id;
}

// A GPU's own series are those without an instance.
function matchersOf(gpu: Gpu): string[] {
  if (gpu.kind === "mig") return [`gpu.mig.uuid=${gpu.attributes["gpu.mig.uuid"] ?? gpu.id}`];
  return [`gpu.uuid=${uuidOf(gpu)}`, "gpu.mig.uuid="];
}

// What happens to a GPU concerns its instances; what happens to one of them, only that one.
function useConcerns(gpu: Gpu): (event: AgentEvent) => boolean {
  const uuid = uuidOf(gpu);
  const instance = gpu.kind === "mig" ? (gpu.attributes["gpu.mig.uuid"] ?? gpu.id) : null;
  return useCallback(
    ({ attributes }: AgentEvent) => {
      const about = attributes["gpu.mig.uuid"];
      return attributes["gpu.uuid"] === uuid && (!about || !instance || about === instance);
    },
    [uuid, instance],
  );
}
