import { Badge } from "../components/badge";
import { Icon } from "../components/icon";
import type { NowDocument } from "../data/api";
import { loudAlerts } from "../data/devices";
import { Link, useRoute, type ViewName } from "../router";
import { ConnectionStateMark } from "./connection_state";
import { RangePicker } from "./range_picker";
import { HelpButton } from "./shortcuts";
import { ThemeSwitch } from "./theme_switch";

const TABS: [ViewName, string][] = [
  ["node", "Node"],
  ["workloads", "Workloads"],
  ["events", "Events & alerts"],
  ["agent", "Agent"],
];
const WITH_RANGE: ViewName[] = ["gpu", "engine", "events"];

export function Header({ now }: { now: NowDocument | null }) {
  const { view } = useRoute();
  const here = view === "gpu" || view === "engine" ? "node" : view;
  return (
    <header class="top">
      <div class="top-line">
        <Link view="node" class="brand">
          <Mark />
          <span class="brand-name">{now?.host ?? "Warpsight"}</span>
        </Link>
        {now && <span class="faint version">warpsight {now.version}</span>}
        {now?.simulated && <Badge tone="warning">Simulated</Badge>}
        <div class="top-right">
          <ConnectionStateMark />
          <AlertCount now={now} />
          <ThemeSwitch />
          <HelpButton />
        </div>
      </div>
      <div class="top-line">
        <nav aria-label="Views" class="tabs">
          {TABS.map(([name, text]) => (
            <Link
              key={name}
              view={name}
              aria-current={name === view ? "page" : name === here ? "true" : undefined}
            >
              {text}
            </Link>
          ))}
        </nav>
        {WITH_RANGE.includes(view) && <RangePicker />}
      </div>
    </header>
  );
}

function AlertCount({ now }: { now: NowDocument | null }) {
  if (!now) return null;
  const alerts = loudAlerts(now);
  const count = alerts.length;
  const worst = alerts[0]?.severity ?? "info";
  const text = count === 1 ? "1 alert" : `${count} alerts`;
  return (
    <Link view="events" class={`alert-count tone-${worst}`}>
      <Icon name="bell" />
      {text}
    </Link>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" />
      <path d="M5 19h5l3-9 4 14 4-11 2 6h4" />
    </svg>
  );
}
