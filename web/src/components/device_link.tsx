import type { Attributes } from "../data/api";
import { useNow } from "../data/live";
import { deviceName, findDevice } from "../data/devices";
import { Link } from "../router";

// The device or engine that an alert or event is about; nothing when it is about none.
export function DeviceLink({ attributes }: { attributes: Attributes }) {
  const now = useNow();
  const device = findDevice(now?.gpus ?? [], attributes);
  if (device) {
    return (
      <Link view="gpu" id={device.id}>
        {deviceName(device)}
      </Link>
    );
  }
  const address = attributes["server.address"];
  const engine = now?.engines.find((one) => one.attributes["server.address"] === address);
  if (address && engine) {
    return (
      <Link view="engine" id={engine.id}>
        {engine.engine} {engine.id}
      </Link>
    );
  }
  return null;
}
