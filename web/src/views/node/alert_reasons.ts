// What firing alerts add to the verdict: not what it says by itself, and a crowd of one kind at once.
import type { Alert, NowDocument } from "../../data/api";
import { alertTone, findDevice, loudAlerts } from "../../data/devices";
import type { Reason } from "./verdict";

const MOST_OF_A_KIND = 2;

export function alertReasons(now: NowDocument, told: Reason[]): Reason[] {
  const byName = new Map<string, Alert[]>();
  for (const alert of loudAlerts(now)) {
    if (isTold(now, alert, told)) continue;
    byName.set(alert.name, [...(byName.get(alert.name) ?? []), alert]);
  }
  return [...byName.values()].flatMap((alerts) => {
    const [first] = alerts;
    if (!first) return [];
    if (alerts.length <= MOST_OF_A_KIND) return alerts.map((one) => reason(one, one.summary));
    return [reason(first, `${first.name}: ${alerts.length} times`)];
  });
}

function reason(alert: Alert, text: string): Reason {
  return { tone: alertTone(alert), text: text || alert.name, view: "events", id: "" };
}

// Built-in rules about what the verdict sees for itself.
function isTold(now: NowDocument, alert: Alert, told: Reason[]): boolean {
  switch (alert.name) {
    case "GpuLost":
      return told.some(({ about }) => about === "lost");
    case "GpuDriverHangs":
      return told.some(({ about }) => about === "silent");
    case "LlmEndpointDown":
      return told.some(
        ({ view, id }) => view === "engine" && id === alert.attributes["server.address"],
      );
    case "GpuIdle": {
      const device = findDevice(now.gpus, alert.attributes);
      return told.some(({ devices }) => device !== undefined && devices?.includes(device.id));
    }
    default:
      return false;
  }
}
