import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../components/empty";
import type { NowDocument } from "../data/api";
import { loudAlerts } from "../data/devices";
import { useConnection, useNow } from "../data/live";
import { useSignInNeeded } from "../data/session";
import { Link, useRoute } from "../router";
import { AgentView } from "../views/agent/agent_view";
import EngineView from "../views/engine";
import { EventsView } from "../views/events/events_view";
import GpuView from "../views/gpu";
import { NodeView } from "../views/node/node_view";
import { WorkloadsView } from "../views/workloads/workloads_view";
import { LostConnectionBanner } from "./connection_state";
import { Header } from "./header";
import { SignIn } from "./sign_in";

export function App() {
  const now = useNow();
  const signInNeeded = useSignInNeeded();
  const { state } = useConnection();
  const main = useFocusOnNavigation();
  useTitle(now);
  const old = state === "reconnecting" || state === "stale";
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        Skip to the content
      </a>
      <Header now={now} />
      {now?.simulated && <SimulatedBanner scenario={now.scenario ?? ""} />}
      {!signInNeeded && <LostConnectionBanner />}
      <main id="main" ref={main} tabIndex={-1} class={old ? "old" : ""}>
        {signInNeeded ? <SignIn /> : now ? <CurrentView now={now} /> : <Waiting />}
      </main>
    </>
  );
}

function CurrentView({ now }: { now: NowDocument }) {
  const { view, id } = useRoute();
  switch (view) {
    case "node":
      return <NodeView now={now} />;
    case "gpu":
      return <GpuView id={id} />;
    case "engine":
      return <EngineView id={id} />;
    case "workloads":
      return <WorkloadsView now={now} />;
    case "events":
      return <EventsView now={now} />;
    case "agent":
      return <AgentView now={now} />;
    case "unknown":
      return (
        <>
          <h1 class="unseen">Not found</h1>
          <Empty title="There is no such view">
            <Link view="node">To the node</Link>
          </Empty>
        </>
      );
  }
}

function Waiting() {
  const { problem } = useConnection();
  return (
    <>
      <h1 class="unseen">Waiting for the agent</h1>
      <Empty title={problem || "Asking the agent…"}>
        {problem && "It is asked again every few seconds; this page goes on by itself."}
      </Empty>
    </>
  );
}

function SimulatedBanner({ scenario }: { scenario: string }) {
  return (
    <section class="banner banner-simulated" aria-label="Simulated data">
      <strong>Simulated data</strong>
      <span>{scenario && `Scenario ${scenario}. `}Nothing here was measured on hardware.</span>
    </section>
  );
}

function useTitle(now: NowDocument | null): void {
  const { view } = useRoute();
  const count = now ? loudAlerts(now).filter(({ severity }) => severity !== "info").length : 0;
  const title = `${count > 0 ? `(${count}) ` : ""}${view} · ${now?.host ?? "Warpsight"}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

// A new view is read from its beginning; not so the first, and not a change of its parameters.
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { view, id } = useRoute();
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) {
      main.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    first.current = false;
  }, [view, id]);
  return main;
}

function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault();
  target?.focus();
}
