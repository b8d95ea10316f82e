import { memoryTone } from "../../components/bar";
import { Health } from "../../components/health";
import { Tile, Tiles } from "../../components/tile";
import type { Gpu, NowDocument, Owner } from "../../data/api";
import { complaintsOf } from "../../data/complaints";
import { deviceName, isHot, memoryShare, migProfile, share, shortModel, usage } from "../../data/devices";
import { formatBytes, formatDuration, formatEnergy, formatShare, formatValue } from "../../format";
import { Link } from "../../router";

const MOST_COMPLAINTS = 6;

export function Headline({ now, gpu }: { now: NowDocument; gpu: Gpu }) {
  return (
    <header class="device-head">
      <Siblings now={now} gpu={gpu} />
      <div class="device-title">
        <h1>{deviceName(gpu)}</h1>
        <span class="device-model">
          {shortModel(gpu)} {migProfile(gpu)}
        </span>
        <Health complaints={complaintsOf(now, gpu)} most={MOST_COMPLAINTS} />
      </div>
      <p class="device-line">
        <code>{gpu.id}</code>
        <Parent now={now} gpu={gpu} />
      </p>
      <Owners owners={gpu.owners} divided={now.gpus.some((one) => one.parent === gpu.id)} time={now.time ?? 0} />
      <Readings gpu={gpu} />
    </header>
  );
}

function Siblings({ now, gpu }: { now: NowDocument; gpu: Gpu }) {
  const siblings = now.gpus.filter((one) => one.parent === gpu.parent);
  if (siblings.length < 2) return null;
  return (
    <nav class="chips" aria-label={gpu.parent ? "Instances of this GPU" : "GPUs of this node"}>
      {siblings.map((one) => (
        <Link
          key={one.id}
          view="gpu"
          id={one.id}
          aria-current={one.id === gpu.id ? "page" : undefined}
          class={complaintsOf(now, one).length > 0 ? "chip chip-unwell" : "chip"}
        >
          {deviceName(one)}
        </Link>
      ))}
    </nav>
  );
}

function Parent({ now, gpu }: { now: NowDocument; gpu: Gpu }) {
  const parent = now.gpus.find((one) => one.id === gpu.parent);
  if (!parent) return null;
  return (
    <span>
      an instance of{" "}
      <Link view="gpu" id={parent.id}>
        {deviceName(parent)}
      </Link>
    </span>
  );
}

interface OwnersProps {
  owners: Owner[];
  divided: boolean;
  time: number;
}

function Owners({ owners, divided, time }: OwnersProps) {
  if (owners.length === 0) {
    return <p class="device-line">{divided ? "Divided by MIG: its instances have owners." : "Nobody owns it."}</p>;
  }
  return (
    <ul class="device-owners">
      {owners.map((owner) => (
        <li key={owner.name}>
          <b>{owner.name}</b>
          <span class="faint">{detailsOf(owner, time).join(", ")}</span>
        </li>
      ))}
    </ul>
  );
}

function detailsOf(owner: Owner, time: number): string[] {
  return [
    owner.kind.replace(/_/g, " "),
    owner.tenant ? `tenant ${owner.tenant}` : "",
    owner.held ? "" : "was not given it",
    owner.since ? `for ${formatDuration(time - owner.since)}` : "",
    owner.busy ? `busy ${formatDuration(owner.busy)} of it` : "",
    owner.energy ? formatEnergy(owner.energy) : "",
  ].filter(Boolean);
}

function Readings({ gpu }: { gpu: Gpu }) {
  const { values } = gpu;
  const memory = memoryShare(gpu);
  const power = share(values["gpu.power.draw"], values["gpu.power.limit"]);
  return (
    <Tiles>
      <Tile label="Utilisation" value={formatShare(usage(gpu))} share={usage(gpu)} />
      <Tile
        label="Memory"
        value={formatBytes(values["gpu.memory.used"])}
        detail={`of ${formatBytes(values["gpu.memory.total"])}`}
        share={memory}
        tone={memoryTone(memory)}
      />
      {values["gpu.power.draw"] !== undefined && (
        <Tile
          label="Power"
          value={formatValue(values["gpu.power.draw"], "W")}
          detail={`of ${formatValue(values["gpu.power.limit"], "W")}`}
          share={power}
          tone="power"
        />
      )}
      {values["gpu.temperature"] !== undefined && (
        <Tile
          label="Temperature"
          value={formatValue(values["gpu.temperature"], "Cel")}
          detail={isHot(gpu) ? "hot" : undefined}
        />
      )}
      {values["gpu.clock.frequency"] !== undefined && (
        <Tile label="Clock" value={formatValue(values["gpu.clock.frequency"], "Hz")} />
      )}
    </Tiles>
  );
}
