import { useConnection, type ConnectionState } from "../data/live";
import { useSignInNeeded } from "../data/session";
import { formatDuration } from "../format";

const NAMES: Record<ConnectionState, string> = {
  connecting: "Connecting",
  connected: "Live",
  stale: "Stale",
  reconnecting: "Reconnecting",
};

export function ConnectionStateMark() {
  const { state, problem } = useConnection();
  if (useSignInNeeded()) return null;
  return (
    <span class={`connection connection-${state}`} title={problem}>
      <span class="dot" aria-hidden="true" />
      {NAMES[state]}
    </span>
  );
}

export function LostConnectionBanner() {
  const { state, age, problem } = useConnection();
  if (state === "connected" || state === "connecting" || age === null) return null;
  const reason = state === "stale" ? "The agent has published nothing new." : problem;
  return (
    <section class="banner banner-lost" aria-label="Connection">
      <strong role="status">{state === "stale" ? "Stale" : "Connection lost"}</strong>
      <span>
        {reason} What you see is {formatDuration(age)} old; it goes on by itself when the agent is
        back.
      </span>
    </section>
  );
}
