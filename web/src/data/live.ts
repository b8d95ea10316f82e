// The node as it is now: kept up to date by the agent's stream, kept as it was when that breaks.
import { useEffect, useState } from "preact/hooks";
import { ask, type NowDocument } from "./api";
import { readEvents } from "./event_stream";
import { onSignedIn } from "./session";
import { createStore, useStore } from "./store";

export type ConnectionState = "connecting" | "connected" | "stale" | "reconnecting";

export interface Connection {
  state: ConnectionState;
  age: number | null; // seconds since the last publish came; null: none did
  problem: string; // why it is not connected
}

const SHORTEST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const SILENCE_LIMIT = 40_000; // the agent says something every 15 s

interface Link {
  open: boolean;
  problem: string;
}

const now = createStore<NowDocument | null>(null);
const link = createStore<Link>({ open: false, problem: "" });
let received: number | null = null;

// The last document the agent sent; null before the first.
export function useNow(): NowDocument | null {
  return useStore(now);
}

export function currentNow(): NowDocument | null {
  return now.get();
}

// Calls back with each document as it arrives; returns how to stop.
export function onNow(listener: (document: NowDocument) => void): () => void {
  return now.subscribe((document) => document && listener(document));
}

// Redraws every second while something is wrong, so that the age is true.
export function useConnection(): Connection {
  const { open, problem } = useStore(link);
  useStore(now);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (stateOf(link.get().open) !== "connected") tick((n) => n + 1);
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  const age = received === null ? null : (Date.now() - received) / 1000;
  return { state: stateOf(open), age, problem };
}

export function startLive(): void {
  let wake: () => void = () => undefined;
  onSignedIn(() => wake());
  window.addEventListener("online", () => wake());
  void (async () => {
    let wait = SHORTEST_WAIT;
    for (;;) {
      const problem = await follow();
      wait = link.get().open ? SHORTEST_WAIT : Math.min(wait * 2, LONGEST_WAIT);
      link.set({ open: false, problem });
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, wait * (0.75 + Math.random() / 2));
      });
    }
  })();
}

// One connection, until it ends; says why.
async function follow(): Promise<string> {
  const abort = new AbortController();
  const silence = { timer: setTimeout(() => abort.abort(), SILENCE_LIMIT) };
  try {
    const answer = await ask("/api/v1/live", { signal: abort.signal });
    if (!answer.ok) return answer.error.message;
    if (!answer.value.body) return "The agent sent nothing.";
    for await (const event of readEvents(answer.value.body)) {
      clearTimeout(silence.timer);
      silence.timer = setTimeout(() => abort.abort(), SILENCE_LIMIT);
      if (event?.name === "now") accept(event.data);
    }
    return "The agent closed the connection.";
  } catch {
    return abort.signal.aborted ? "The agent went silent." : "The connection broke.";
  } finally {
    clearTimeout(silence.timer);
    abort.abort();
  }
}

function accept(data: string): void {
  const document = JSON.parse(data) as NowDocument;
  if (received === null || document.time !== now.get()?.time) received = Date.now();
  link.set({ open: true, problem: "" });
  now.set(document);
}

function stateOf(open: boolean): ConnectionState {
  if (received === null) return "connecting";
  if (!open) return "reconnecting";
  const interval = now.get()?.interval ?? 10;
  return Date.now() - received > (interval * 3 + 5) * 1000 ? "stale" : "connected";
}
