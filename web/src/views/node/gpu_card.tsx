import { Meter, memoryTone } from "../../components/bar";
import { Health } from "../../components/health";
import { Sparkline } from "../../components/sparkline";
import {
  deviceKey,
  deviceName,
  isHot,
  memoryShare,
  share,
  usage,
  type GpuTree,
} from "../../data/devices";
import { ABSENT, formatShare, formatValue, gibibytes } from "../../format";
import { Link } from "../../router";
import { OwnerNames, ThrottleLabel } from "./gpu_parts";
import type { GpuSummary } from "./gpu_summary";
import { IDLE_SHARE } from "./idle";
import { MigList } from "./mig_list";

export function GpuCard({ tree, summary }: { tree: GpuTree; summary: GpuSummary }) {
  const { gpu, instances } = tree;
  const { values } = gpu;
  const worst = summary.complaints[0]?.tone ?? "good";
  const history = summary.history.get(deviceKey(gpu.attributes));
  return (
    <li class={`gpu-card edge-${worst}`}>
      <header>
        <h3>
          <Link view="gpu" id={gpu.id}>
            {deviceName(gpu)}
          </Link>
        </h3>
        <span class="faint gpu-model">{summary.model}</span>
        <Health complaints={summary.complaints} most={1} />
      </header>
      <div class="gpu-use">
        <Use tree={tree} />
        {history && <Sparkline values={history} highest={1} />}
      </div>
      <Meter label="Memory" share={memoryShare(gpu)} tone={memoryTone(memoryShare(gpu))}>
        {pair(gibibytes(values["gpu.memory.used"]), gibibytes(values["gpu.memory.total"]), " GiB")}
      </Meter>
      <div class="gpu-pair">
        <Meter
          label={<ThrottleLabel name="Power" active={values["gpu.throttle.power_active"]} />}
          share={share(values["gpu.power.draw"], values["gpu.power.limit"])}
          tone="power"
        >
          {pair(watts(values["gpu.power.draw"]), watts(values["gpu.power.limit"]), " W")}
        </Meter>
        <Meter
          label={<ThrottleLabel name="Heat" active={values["gpu.throttle.thermal_active"]} />}
          share={share(values["gpu.temperature"], 100)}
          tone={isHot(gpu) ? "error" : "use"}
        >
          {formatValue(values["gpu.temperature"], "Cel")}
        </Meter>
      </div>
      {instances.length > 0 ? (
        <MigList instances={instances} idle={summary.idle} />
      ) : (
        <footer>
          <OwnerNames gpu={gpu} idle={summary.idle.has(gpu.id)} />
        </footer>
      )}
    </li>
  );
}

// A divided GPU has no utilisation of its own: how many of its instances work, of those
// that say, stands there instead.
function Use({ tree: { gpu, instances } }: { tree: GpuTree }) {
  const used = usage(gpu);
  if (used !== null || instances.length === 0) return <span class="big">{formatShare(used)}</span>;
  const known = instances.map(usage).filter((share) => share !== null);
  if (known.length === 0) return <span class="big">{ABSENT}</span>;
  const busy = known.filter((share) => share >= IDLE_SHARE).length;
  return (
    <span>
      <span class="big">
        {busy}/{known.length}
      </span>{" "}
      <span class="faint">busy</span>
    </span>
  );
}

// "68.2 / 80 GiB"; a single dash where neither is known.
function pair(part: string, whole: string, unit: string): string {
  return part === ABSENT && whole === ABSENT ? ABSENT : `${part} / ${whole}${unit}`;
}

function watts(value: number | undefined): string {
  return value === undefined ? ABSENT : value.toFixed(0);
}
