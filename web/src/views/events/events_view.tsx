import { fetchAlerts, type NowDocument } from "../../data/api";
import { useFetched } from "../../data/use_fetched";
import { AlertsPanel } from "./alerts_panel";
import { HistoryPanel } from "./history_panel";
import { RulesPanel } from "./rules_panel";

// What can be chosen before any of it happened.
const NAMES = [
  "alert.*",
  "gpu.*",
  "gpu.xid",
  "gpu.lost",
  "gpu.back",
  "gpu.driver.*",
  "gpu.owner.*",
  "llm.*",
  "sink.*",
  "spool.*",
];

export function EventsView({ now }: { now: NowDocument }) {
  const details = useFetched(fetchAlerts, []);
  return (
    <>
      <h1>Events and alerts</h1>
      <AlertsPanel alerts={details.value?.alerts ?? now.alerts} details={details} now={now.time} />
      <HistoryPanel names={NAMES} />
      <RulesPanel rules={details.value?.rules ?? null} />
    </>
  );
}
