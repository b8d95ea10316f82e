import { useState } from "preact/hooks";
import { Empty, ErrorNote } from "../../components/empty";
import { Panel } from "../../components/panel";
import type { Alert, AlertsDocument, AlertState } from "../../data/api";
import { bySeverity } from "../../data/devices";
import type { Fetched } from "../../data/use_fetched";
import { AlertList } from "./alert_list";
import { SilenceDialog } from "./silence_dialog";
import { SilenceList } from "./silence_list";

const STATES: [AlertState, string][] = [
  ["firing", "Firing"],
  ["pending", "Pending"],
  ["resolved", "Resolved lately"],
];

export interface AlertsPanelProps {
  alerts: Alert[];
  details: Fetched<AlertsDocument>;
  now: number | null;
}

export function AlertsPanel({ alerts, details, now }: AlertsPanelProps) {
  const [silencing, setSilencing] = useState<Alert | null>(null);
  const silences = details.value?.silences ?? [];
  const done = () => {
    setSilencing(null);
    details.reload();
  };
  return (
    <Panel title="Alerts">
      {details.error && <ErrorNote error={details.error} />}
      {alerts.length === 0 && (
        <Empty title="No alert is firing">
          {details.value &&
            `${details.value.rules.filter(({ enabled }) => enabled).length} rules are watched.`}
        </Empty>
      )}
      {STATES.map(([state, title]) => {
        const those = bySeverity(alerts.filter((alert) => alert.state === state));
        return (
          those.length > 0 && (
            <div key={state} class="alert-group">
              <h3>
                {title} <span class="count">{those.length}</span>
              </h3>
              <AlertList alerts={those} now={now} onSilence={setSilencing} />
            </div>
          )
        );
      })}
      {silences.length > 0 && (
        <div class="alert-group">
          <h3>
            Silences <span class="count">{silences.length}</span>
          </h3>
          <SilenceList silences={silences} onChange={details.reload} />
        </div>
      )}
      {silencing && (
        <SilenceDialog alert={silencing} onClose={() => setSilencing(null)} onDone={done} />
      )}
    </Panel>
  );
}
