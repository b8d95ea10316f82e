// What a GPU's card and its row are made of.
import { Badge } from "../../components/badge";
import { Icon } from "../../components/icon";
import type { Gpu } from "../../data/api";

const OWNERS_SHOWN = 2;

// The name of a meter, with a flag while that holds the clocks down.
export function ThrottleLabel({ name, active }: { name: string; active: number | undefined }) {
  if (!active) return <>{name}</>;
  return (
    <span class="throttled tone-warning" title={`${name} holds the clocks down`}>
      <Icon name="warning" />
      {name}
      <span class="unseen"> throttles</span>
    </span>
  );
}

export function OwnerNames({ gpu, idle }: { gpu: Gpu; idle: boolean }) {
  if (gpu.owners.length === 0) return <span class="faint">no owner</span>;
  const more = gpu.owners.length - OWNERS_SHOWN;
  return (
    <span class="owner-names">
      {idle && (
        <Badge tone="idle" title="Held, and hardly used">
          idle
        </Badge>
      )}
      {gpu.owners.slice(0, OWNERS_SHOWN).map((owner) => (
        <span
          key={owner.name}
          class="owner-name"
          title={owner.held ? owner.name : `${owner.name} (was not given it)`}
        >
          {owner.name}
        </span>
      ))}
      {more > 0 && <span class="faint">+{more}</span>}
    </span>
  );
}
