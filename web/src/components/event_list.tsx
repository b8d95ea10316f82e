import type { AgentEvent } from "../data/api";
import { formatAgo, formatDateTime, formatTime } from "../format";
import { DeviceLink } from "./device_link";
import { SeverityBadge } from "./badge";

export interface EventListProps {
  events: AgentEvent[];
  now: number | null; // with it, times are told as ages
}

export function EventList({ events, now }: EventListProps) {
  return (
    <ul class="events">
      {events.map((event) => (
        <li
          key={`${event.time} ${event.name} ${event.message}`}
          class={`event tone-${event.severity}`}
        >
          <time
            dateTime={new Date(event.time * 1000).toISOString()}
            title={formatDateTime(event.time)}
          >
            {now === null ? formatTime(event.time) : formatAgo(event.time, now)}
          </time>
          <SeverityBadge severity={event.severity} />
          <span class="event-text">
            <span class="event-message">{event.message}</span>
            <span class="event-name">
              {event.name} <DeviceLink attributes={event.attributes} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
