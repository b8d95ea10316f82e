import { Badge } from "../../components/badge";
import { Bar } from "../../components/bar";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import type { HistoryStatus } from "../../data/api";
import { formatAgo, formatBytes, formatCount } from "../../format";

export function HistoryPanel({ history }: { history: HistoryStatus }) {
  if (!history.enabled) {
    return (
      <Panel title="History on this node">
        <Empty title="History is off">
          Charts and the list of past events need it: set <code>history.enabled</code>.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="History on this node">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          {history.up ? <Badge tone="good">writes</Badge> : <Badge tone="error">failing</Badge>}
        </dd>
        <dt>Size</dt>
        <dd>
          {formatBytes(history.bytes)} of {formatBytes(history.max_bytes)}
          <Bar
            share={history.max_bytes > 0 ? history.bytes / history.max_bytes : null}
            tone="memory"
          />
        </dd>
        <dt>Series</dt>
        <dd>{formatCount(history.series)}</dd>
        <dt>Begins</dt>
        <dd>{formatAgo(history.oldest)}</dd>
        <dt>Full detail from</dt>
        <dd>{formatAgo(history.oldest_full)}</dd>
        <dt>Dropped</dt>
        <dd>{formatCount(history.dropped)} samples</dd>
        <dt>File</dt>
        <dd>
          <code>{history.path}</code>
        </dd>
        {history.last_error && <Fact name="Last error" text={history.last_error} />}
        {history.set_aside && <Fact name="Damaged, set aside" text={history.set_aside} />}
      </dl>
    </Panel>
  );
}

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="tone-error">{text}</dd>
    </>
  );
}
