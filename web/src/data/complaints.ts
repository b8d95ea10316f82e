// What is wrong with a device, worst first. Nothing: it is well.
import type { AgentEvent, Gpu, NowDocument, Severity } from "./api";
import { alertTone, deviceKey, isLost, isLoud } from "./devices";

const XID_MATTERS = 3600;

type ComplaintTone = Severity | "idle";

export interface Complaint {
  tone: ComplaintTone;
  text: string;
  title: string;
}

export function complaintsOf(now: NowDocument, gpu: Gpu): Complaint[] {
  const { values } = gpu;
  const complaints: Complaint[] = [];
  const add = (tone: ComplaintTone, text: string, title: string) => complaints.push({ tone, text, title });

  if (isLost(now, gpu)) add("error", "Lost", "The GPU stopped answering");
  else if (values["gpu.driver.responsive"] === 0)
    add("error", "Driver silent", "A driver call does not return");
  else if (Object.keys(values).length === 0)
    add("warning", "No readings", "Nothing was published for it");

  for (const alert of now.alerts) {
    if (isLoud(alert) && gpu.alerts.includes(alert.id))
      add(alertTone(alert), alert.name, alert.summary);
  }
  const xid = lastXid(now, gpu);
  if (xid) add("warning", `XID ${xid.attributes["gpu.xid.code"] ?? ""}`.trim(), xid.message);

  if (values["gpu.throttle.thermal_active"])
    add("warning", "Heat throttle", "Heat holds the clocks down");
  if (values["gpu.throttle.power_active"])
    add("warning", "Power throttle", "Power holds the clocks down");

  const rank: Record<ComplaintTone, number> = { error: 0, warning: 1, info: 2, idle: 3 };
  return complaints.sort((a, b) => rank[a.tone] - rank[b.tone]);
}

// The last one of the hour that the agent still tells of.
function lastXid({ events, time }: NowDocument, gpu: Gpu): AgentEvent | undefined {
  const key = deviceKey(gpu.attributes);
  return events.find(
    (event) =>
      event.name === "gpu.xid" &&
      key !== "" &&
      deviceKey(event.attributes) === key &&
      (time ?? event.time) - event.time < XID_MATTERS,
  );
}
