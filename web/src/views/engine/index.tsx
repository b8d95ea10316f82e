import { useCallback, useMemo } from "preact/hooks";
import { markerOf, useEvents } from "../../charts/useEvents";
import type { Marker } from "../../charts/types";
import { Badge } from "../../components/badge";
import { Empty } from "../../components/empty";
import { EventList } from "../../components/event_list";
import { Panel } from "../../components/panel";
import type { AgentEvent, Engine, NowDocument } from "../../data/api";
import { useNow } from "../../data/live";
import { Link } from "../../router";
import "../gpu/device.css";
import "./engine.css";
import { GpuSection } from "./gpu_section";
import { ModelSection } from "./model_section";

const EVENTS_SHOWN = 20;

// One serving engine, by its id: what its models do, beside the GPUs that serve them.
export default function EngineView({ id }: { id: string }) {
  const now = useNow();
  const engine = now?.engines.find((one) => one.id === id);
  if (!now) return null;
  if (engine) return <Known key={id} now={now} engine={engine} />;
  return (
    <>
      <h1 class="unseen">No such engine</h1>
      <Empty title={`No engine ${id} is known`}>
        It may have ended, or the address is an old one. <Link view="node">All engines of this node</Link>
      </Empty>
    </>
  );
}

function Known({ now, engine }: { now: NowDocument; engine: Engine }) {
  const address = engine.attributes["server.address"] ?? engine.id;
  const concerns = useCallback(
    ({ attributes }: AgentEvent) => attributes["server.address"] === address,
    [address],
  );
  const events = useEvents([`server.address=${address}`], concerns);
  const markers = useMemo<Marker[]>(() => events.map(markerOf), [events]);
  const shared = { markers, group: `engine ${engine.id}`, subject: `${now.host} ${engine.engine} ${engine.id}` };
  return (
    <div class="device-view">
      <header class="device-head">
        <div class="device-title">
          <h1>{engine.engine}</h1>
          <span class="device-model">
            {engine.version} <code>{engine.id}</code>
          </span>
          {engine.up ? <Badge tone="good">up</Badge> : <Badge tone="error">down</Badge>}
        </div>
        {engine.error && <p class="device-line tone-error">{engine.error}</p>}
      </header>
      <div class="engine-columns">
        <div class="device-view">
          {engine.models.length === 0 && (
            <Empty title="Nothing is known of its models">
              {engine.up ? "Its values appear here after the first request." : "It cannot be scraped now."}
            </Empty>
          )}
          {engine.models.map((model) => (
            <ModelSection
              key={JSON.stringify(model.attributes)}
              model={model}
              engine={engine.engine}
              address={address}
              {...shared}
            />
          ))}
        </div>
        <GpuSection now={now} engine={engine} {...shared} />
      </div>
      <Panel title="Events" note="of this range, newest first">
        {events.length > 0 ? (
          <EventList events={events.slice(0, EVENTS_SHOWN)} now={null} />
        ) : (
          <Empty title="Nothing happened in this range" />
        )}
      </Panel>
    </div>
  );
}
