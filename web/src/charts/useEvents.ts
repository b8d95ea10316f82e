// Events of the shared range, newest first, with those that the stream has just told.
import { useMemo } from "preact/hooks";
import { fetchEvents, type AgentEvent } from "../data/api";
import { useNow } from "../data/live";
import { useRange } from "../data/range";
import { useFetched } from "../data/use_fetched";
import type { Marker } from "./types";
import { useBounds } from "./useSeries";

const MOST = 500;
const EVERY = 60;

// `concerns` is asked of each; it must stay the same function while what it says does.
export function useEvents(match: string[], concerns: (event: AgentEvent) => boolean): AgentEvent[] {
  const range = useRange();
  const bounds = useBounds();
  const now = useNow();
  const span = range.live ? range.last : `${range.from} ${range.to}`;
  const kept = useFetched(
    (signal) => fetchEvents({ match, limit: MOST, from: bounds?.from ?? 0, to: bounds?.to ?? 1 }, signal),
    [match.join(" "), span, bounds === null],
    EVERY,
  ).value;
  return useMemo(() => {
    const shown = ({ time }: AgentEvent) =>
      bounds !== null && time >= bounds.from && (range.live || time <= bounds.to);
    const found = new Map<string, AgentEvent>();
    for (const event of [...(now?.events ?? []), ...(kept?.events ?? [])]) {
      if (shown(event) && concerns(event)) found.set(`${event.time} ${event.name} ${event.message}`, event);
    }
    return [...found.values()].sort((a, b) => b.time - a.time);
  }, [kept, now?.events, concerns, bounds, range.live]);
}

export function markerOf(event: AgentEvent): Marker {
  const { time, severity, message } = event;
  return { time, severity, title: titleOf(event), text: message };
}

function titleOf({ name, attributes }: AgentEvent): string {
  switch (name) {
    case "gpu.xid":
      return `XID ${attributes["gpu.xid.code"] ?? ""}`.trim();
    case "gpu.owner.changed":
      return "Owner changed";
    case "alert.firing":
      return attributes["alert.name"] ?? "Alert";
    case "alert.resolved":
      return `${attributes["alert.name"] ?? "Alert"} resolved`;
    default:
      return name;
  }
}
