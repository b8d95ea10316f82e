// What is wrong with a device, worst first. Nothing: it is well.
import type { Gpu, NowDocument, Severity } from "./api";
import { alertTone, isLost, isLoud } from "./devices";

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
  const xid = values["gpu.xid.last_error_code"];
  if (xid) add("warning", `XID ${xid}`, "The last XID since the agent started");

  if (values["gpu.throttle.thermal_active"])
    add("warning", "Heat throttle", "Heat holds the clocks down");
  if (values["gpu.throttle.power_active"])
    add("warning", "Power throttle", "Power holds the clocks down");

  const rank: Record<ComplaintTone, number> = { error: 0, warning: 1, info: 2, idle: 3 };
  return complaints.sort((a, b) => rank[a.tone] - rank[b.tone]);
}
