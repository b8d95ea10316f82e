import { ChartGrid } from "../../charts/ChartGrid";
import { LeftOut } from "../../charts/LeftOut";
import { wantsOf } from "../../charts/spec";
import type { Marker } from "../../charts/types";
import { useSeries } from "../../charts/useSeries";
import { memoryTone } from "../../components/bar";
import { ErrorNote } from "../../components/empty";
import { Tile, Tiles } from "../../components/tile";
import { fetchLatest, type EngineModel } from "../../data/api";
import { useFetched } from "../../data/use_fetched";
import { formatCount, formatSeconds, formatShare } from "../../format";
import { MODEL } from "./specs";

const WANTED = wantsOf(MODEL);

export interface ModelSectionProps {
  model: EngineModel;
  engine: string; // its name: the model's, where that has none
  address: string;
  markers: Marker[];
  group: string;
  subject: string;
}

export function ModelSection({ model, engine, address, markers, group, subject }: ModelSectionProps) {
  const match = matchersOf(model, address);
  const state = useSeries(WANTED, match);
  const latest = useFetched((signal) => fetchLatest({ match }, signal), match);
  return (
    <section class="chart-group">
      <h2>{model.name || engine}</h2>
      <Readings model={model} />
      {state.error ? (
        <ErrorNote error={state.error} />
      ) : (
        <ChartGrid
          specs={MODEL}
          state={state}
          latest={latest.value?.series ?? []}
          markers={markers}
          group={group}
          subject={`${subject} ${model.name}`.trim()}
        />
      )}
      <LeftOut state={state} />
    </section>
  );
}

// An engine that was updated is the same one. What names no model is not what names one.
function matchersOf(model: EngineModel, address: string): string[] {
  const own = { "model.name": "", ...model.attributes, "server.address": address };
  return Object.entries(own)
    .filter(([key]) => key !== "llm.engine.version")
    .map(([key, value]) => `${key}=${value}`);
}

function Readings({ model: { values, latency } }: { model: EngineModel }) {
  const cache = values["llm.kv_cache.usage"];
  const quantiles = (kind: string) => {
    const p50 = latency[kind]?.["0.5"];
    return { value: formatSeconds(latency[kind]?.["0.95"]), detail: `p95 · p50 ${formatSeconds(p50)}` };
  };
  const waiting = formatCount(values["llm.requests.waiting"]);
  return (
    <Tiles>
      <Tile label="First token" {...quantiles("ttft")} />
      {latency["itl"] && <Tile label="Between tokens" {...quantiles("itl")} />}
      {latency["request"] && <Tile label="Whole request" {...quantiles("request")} />}
      <Tile label="Running" value={formatCount(values["llm.requests.running"])} detail={`${waiting} waiting`} />
      <Tile label="Generated" value={formatCount(rounded(values["llm.generation.throughput"]))} detail="token/s" />
      <Tile
        label="KV cache"
        value={formatShare(cache)}
        share={cache ?? null}
        tone={memoryTone(cache ?? null)}
      />
    </Tiles>
  );
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value);
}
