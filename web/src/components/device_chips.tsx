import type { Gpu } from "../data/api";
import { deviceName } from "../data/devices";
import { Link } from "../router";

export function DeviceChips({ devices, most }: { devices: Gpu[]; most: number }) {
  const rest = devices.slice(most);
  return (
    <span class="chips">
      {devices.slice(0, most).map((gpu) => (
        <Link key={gpu.id} view="gpu" id={gpu.id} class="chip" aria-label={deviceName(gpu)}>
          {gpu.index}
        </Link>
      ))}
      {rest.length > 0 && (
        <span class="faint" title={rest.map(deviceName).join(", ")}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
