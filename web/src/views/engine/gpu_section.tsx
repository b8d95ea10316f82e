import { ChartGrid } from "../../charts/ChartGrid";
import { LeftOut } from "../../charts/LeftOut";
import { wantsOf } from "../../charts/spec";
import type { Marker } from "../../charts/types";
import { useSeries } from "../../charts/useSeries";
import { fetchLatest, type Engine, type Gpu, type NowDocument } from "../../data/api";
import { deviceName } from "../../data/devices";
import { useFetched } from "../../data/use_fetched";
import { Link } from "../../router";
import { GPUS } from "./specs";

const WANTED = wantsOf(GPUS);

export interface GpuSectionProps {
  now: NowDocument;
  engine: Engine;
  markers: Marker[];
  group: string;
  subject: string;
}

// The GPUs that serve the engine; all of the node where nothing says which.
export function GpuSection({ now, engine, markers, group, subject }: GpuSectionProps) {
  const known = now.gpus.filter((gpu) => engine.gpus?.includes(gpu.id));
  const devices = known.length > 0 ? known : now.gpus.filter((gpu) => gpu.parent === null);
  const match = matchersOf(known);
  const state = useSeries(WANTED, match);
  const latest = useFetched((signal) => fetchLatest({ match }, signal), match);
  if (devices.length === 0) return null;
  return (
    <section class="chart-group">
      <h2>{known.length > 0 ? "GPUs that serve it" : "GPUs of this node"}</h2>
      <nav class="chips" aria-label="GPUs">
        {devices.map((gpu) => (
          <Link key={gpu.id} view="gpu" id={gpu.id} class="chip">
            {deviceName(gpu)}
          </Link>
        ))}
      </nav>
      {!state.error && (
        <ChartGrid
          specs={GPUS}
          state={state}
          latest={latest.value?.series ?? []}
          markers={markers}
          group={group}
          subject={subject}
        />
      )}
      <LeftOut state={state} />
    </section>
  );
}

function matchersOf(known: Gpu[]): string[] {
  const instances = known.filter((gpu) => gpu.kind === "mig");
  if (instances.length > 0) return [`gpu.mig.uuid=${instances.map(({ id }) => id).join("|")}`];
  const whole = "gpu.mig.uuid=";
  return known.length > 0 ? [`gpu.uuid=${known.map(({ id }) => id).join("|")}`, whole] : [whole];
}
