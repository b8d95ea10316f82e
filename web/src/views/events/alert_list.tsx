import { Badge, SeverityBadge } from "../../components/badge";
import { DeviceLink } from "../../components/device_link";
import { Icon } from "../../components/icon";
import type { Alert } from "../../data/api";
import { formatAgo, formatDateTime, formatValue } from "../../format";

export interface AlertListProps {
  alerts: Alert[];
  now: number | null;
  onSilence: (alert: Alert) => void;
}

export function AlertList({ alerts, now, onSilence }: AlertListProps) {
  return (
    <ul class="alerts">
      {alerts.map((alert) => (
        <li
          key={alert.id}
          class={`alert edge-${alert.silenced || alert.state !== "firing" ? "plain" : alert.severity}`}
        >
          <div class="alert-head">
            <SeverityBadge severity={alert.severity} />
            <strong>{alert.summary || alert.name}</strong>
            {alert.silenced && <Badge tone="plain">silenced</Badge>}
          </div>
          {alert.description && <p>{alert.description}</p>}
          <p class="alert-facts">
            <span>{alert.name}</span>
            <Moment alert={alert} now={now} />
            {alert.value !== null && alert.unit !== "{bool}" && (
              <span>{formatValue(alert.value, alert.unit)}</span>
            )}
            <DeviceLink attributes={alert.attributes} />
          </p>
          {alert.state !== "resolved" && !alert.silenced && (
            <button
              type="button"
              onClick={() => onSilence(alert)}
              aria-label={`Silence ${alert.summary || alert.name}`}
            >
              <Icon name="muted" />
              Silence
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Moment({ alert, now }: { alert: Alert; now: number | null }) {
  const [verb, time] =
    alert.state === "resolved"
      ? ["resolved", alert.resolved]
      : alert.state === "firing"
        ? ["fired", alert.fired ?? alert.since]
        : ["pending, began", alert.since];
  return (
    <span title={formatDateTime(time)}>
      {verb} {formatAgo(time, now ?? undefined)}
    </span>
  );
}
