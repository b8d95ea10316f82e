import { Tile, Tiles } from "../../components/tile";
import type { Gpu, NowDocument } from "../../data/api";
import { deviceName, gpuTrees, share, units, usage } from "../../data/devices";
import { ABSENT, formatShare, formatValue, gibibytes } from "../../format";

export function NodeTiles({ now }: { now: NowDocument }) {
  const gpus = gpuTrees(now.gpus).map(({ gpu }) => gpu);
  const used = sum(gpus, "gpu.memory.used");
  const total = sum(gpus, "gpu.memory.total");
  const draw = sum(gpus, "gpu.power.draw");
  const limit = sum(gpus, "gpu.power.limit");
  const hottest = hottestOf(gpus);
  const busy = now.node["host.gpu.utilization.avg"] ?? mean(units(now.gpus).map(usage));
  const { "system.cpu.utilization": cpu, "system.memory.utilization": memory } = now.node;
  return (
    <Tiles>
      <Tile
        label="GPUs"
        value={now.devices.seen ?? gpus.length}
        detail={now.devices.expected === undefined ? "" : `of ${now.devices.expected} expected`}
      />
      <Tile label="GPU use" value={formatShare(busy)} detail={busy === null ? "" : "mean of all"} share={busy} />
      <Tile
        label="GPU memory"
        value={formatShare(share(used, total))}
        detail={total === undefined ? "" : `${gibibytes(used)} of ${gibibytes(total)} GiB`}
        share={share(used, total)}
        tone="memory"
      />
      <Tile
        label="GPU power"
        value={formatValue(draw, "W")}
        detail={limit === undefined ? "" : `of ${formatValue(limit, "W")}`}
        share={share(draw, limit)}
        tone="power"
      />
      <Tile
        label="Hottest"
        value={hottest ? formatValue(hottest.values["gpu.temperature"], "Cel") : ABSENT}
        detail={hottest ? deviceName(hottest) : ""}
      />
      <Tile
        label="Node CPU"
        value={formatShare(cpu)}
        detail={`load ${formatValue(now.node["system.cpu.load_average.1m"], "")}`}
        share={cpu ?? null}
      />
      <Tile label="Node memory" value={formatShare(memory)} share={memory ?? null} tone="memory" />
    </Tiles>
  );
}

function sum(gpus: Gpu[], metric: string): number | undefined {
  const known = gpus.flatMap((gpu) => gpu.values[metric] ?? []);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function mean(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0
    ? null
    : known.reduce((total, value) => total + value, 0) / known.length;
}

function hottestOf(gpus: Gpu[]): Gpu | null {
  return gpus.reduce<Gpu | null>((hottest, gpu) => {
    const here = gpu.values["gpu.temperature"];
    return here !== undefined && here > (hottest?.values["gpu.temperature"] ?? -Infinity)
      ? gpu
      : hottest;
  }, null);
}
