import { useState } from "preact/hooks";
import { Empty, ErrorNote } from "../../components/empty";
import { EventList } from "../../components/event_list";
import { Panel } from "../../components/panel";
import { fetchEvents, type AgentEvent, type Severity } from "../../data/api";
import { useRange } from "../../data/range";
import { useFetched } from "../../data/use_fetched";
import { setParameters, useRoute } from "../../router";

const PAGE = 200;
const MOST = 1000;
const SEVERITIES: [Severity, string][] = [
  ["info", "every severity"],
  ["warning", "warnings and errors"],
  ["error", "errors only"],
];

export function HistoryPanel({ names }: { names: string[] }) {
  const range = useRange();
  const { query } = useRoute();
  const severity = (query.get("severity") ?? "info") as Severity;
  const name = query.get("name") ?? "";
  const text = query.get("q") ?? "";
  const [limit, setLimit] = useState(PAGE);
  const period = range.live ? { from: `-${range.last}` } : { from: range.from, to: range.to };
  const answer = useFetched(
    (signal) =>
      fetchEvents({ ...period, severity, ...(name ? { names: [name] } : {}), limit }, signal),
    [JSON.stringify(period), severity, name, limit],
  );
  const shown = (answer.value?.events ?? []).filter((event) => contains(event, text));
  return (
    <Panel
      title="History"
      note={range.live ? `last ${range.last}` : "fixed range"}
      actions={<Filters names={names} />}
    >
      {answer.error && <ErrorNote error={answer.error} />}
      {shown.length === 0 && !answer.error && (
        <Empty title={answer.loading ? "Asking…" : "Nothing happened"}>
          {!answer.loading && "No event of this range passes the filters. Try a longer range."}
        </Empty>
      )}
      <EventList events={shown} now={null} />
      {answer.value?.more && limit < MOST && (
        <p class="more">
          <button type="button" onClick={() => setLimit(limit + PAGE)}>
            Show older ones
          </button>
        </p>
      )}
    </Panel>
  );
}

function Filters({ names }: { names: string[] }) {
  const { query } = useRoute();
  const name = query.get("name") ?? "";
  const set = (key: string, value: string) => setParameters({ [key]: value || null }, true);
  return (
    <div class="filters">
      <label>
        <span class="unseen">Severity</span>
        <select
          value={query.get("severity") ?? "info"}
          onChange={(e) => set("severity", e.currentTarget.value)}
        >
          {SEVERITIES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="unseen">Kind of event</span>
        <select value={name} onChange={(e) => set("name", e.currentTarget.value)}>
          <option value="">every kind</option>
          {[...new Set([...names, name])].filter(Boolean).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        <span class="unseen">Text in the message</span>
        <input
          type="search"
          placeholder="Find text"
          value={query.get("q") ?? ""}
          onInput={(e) => set("q", e.currentTarget.value)}
        />
      </label>
    </div>
  );
}

function contains(event: AgentEvent, text: string): boolean {
  const wanted = text.toLowerCase();
  const all = [event.message, event.name, ...Object.values(event.attributes)];
  return wanted === "" || all.some((part) => part.toLowerCase().includes(wanted));
}
