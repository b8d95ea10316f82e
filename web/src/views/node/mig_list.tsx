import { Bar, memoryTone, type BarTone } from "../../components/bar";
import { Icon } from "../../components/icon";
import type { Gpu } from "../../data/api";
import { deviceName, memoryShare, migProfile, usage } from "../../data/devices";
import { formatShare } from "../../format";
import { Link } from "../../router";

export interface MigListProps {
  instances: Gpu[];
  idle: Set<string>;
}

export function MigList({ instances, idle }: MigListProps) {
  return (
    <>
      <div class="mig-row mig-head" aria-hidden="true">
        <span>MIG</span>
        <span>Use</span>
        <span>Memory</span>
        <span>Owner</span>
      </div>
      <ul class="mig" aria-label="MIG instances">
        {instances.map((gpu) => (
          <MigRow key={gpu.id} gpu={gpu} idle={idle.has(gpu.id)} />
        ))}
      </ul>
    </>
  );
}

function MigRow({ gpu, idle }: { gpu: Gpu; idle: boolean }) {
  const memory = memoryShare(gpu);
  const owners = gpu.owners.map((owner) => owner.name).join(", ");
  return (
    <li class="mig-row">
      <Link view="gpu" id={gpu.id} title={`${deviceName(gpu)} ${migProfile(gpu)}`}>
        {gpu.index}
      </Link>
      <Share name="use" share={usage(gpu)} tone="use" />
      <Share name="memory" share={memory} tone={memoryTone(memory)} />
      <span class="mig-owner" title={owners || "no owner"}>
        {idle && (
          <span class="tone-idle">
            <Icon name="idle" />
            <span class="unseen">idle: </span>
          </span>
        )}
        {owners || <span class="faint">none</span>}
      </span>
    </li>
  );
}

function Share({ name, share, tone }: { name: string; share: number | null; tone: BarTone }) {
  return (
    <span class="mig-share">
      <Bar share={share} tone={tone} />
      <span class="unseen">{name} </span>
      <span>{formatShare(share)}</span>
    </span>
  );
}
