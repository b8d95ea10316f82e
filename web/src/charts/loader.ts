// Keeps one set of series up to date: everything when the question changes, then only what is new.
import type { Aggregate, ApiError, Result, SeriesDocument } from "../data/api";
import { fetchWholeSeries } from "../data/whole_series";
import { lastTime, merge, type SeriesSet } from "./grid";
import { limited } from "./pool";
import type { Wanted, Wants } from "./spec";
import type { Bounds } from "./types";

export interface Question {
  wanted: Wanted;
  match: string[];
  bounds: Bounds;
  range: string; // stays the same while a live range only moves on
  live: boolean;
  step: number;
  interval: number; // seconds between publishes
}

export interface SeriesState {
  set: SeriesSet | null; // null: nothing has come yet, or the last question failed
  error: ApiError | null;
  loading: boolean; // a whole range is on its way; `set` is the one before
}

const METRICS_A_REQUEST = 20;
const SERIES_A_REQUEST = 1000;

type Loaded = Result<SeriesSet> | null; // null: it was called off

export class Loader {
  private set: SeriesSet | null = null;
  private subject = "";
  private range = "";
  private asked: Bounds = { from: 0, to: 0 };
  private abort = new AbortController();
  private busy = false;

  constructor(private readonly tell: (state: SeriesState) => void) {}

  // Called as often as wanted. A live question that only moved on costs a request for the new part,
  // and none while another is under way.
  ask(question: Question): void {
    const { bounds, live } = question;
    const subject = JSON.stringify([question.match, question.wanted]);
    const range = `${question.range} ${question.step}`;
    if (subject !== this.subject || range !== this.range) {
      if (subject !== this.subject) this.set = null;
      this.subject = subject;
      this.range = range;
      this.stop();
      this.tell({ set: this.set, error: null, loading: true });
      void this.load(question, null);
    } else if (live && !this.busy && Math.abs(bounds.to - this.asked.to) >= paceOf(question)) {
      void this.load(question, this.set);
    }
  }

  stop(): void {
    this.abort.abort();
    this.abort = new AbortController();
    this.busy = false;
  }

  private async load(question: Question, kept: SeriesSet | null): Promise<void> {
    const { signal } = this.abort;
    this.busy = true;
    this.asked = question.bounds;
    const since = kept && lastTime(kept);
    const { from, to } = question.bounds;
    const usable = kept && since !== null && since > from && since <= to;
    const begin = usable ? since - kept.step : from;
    let loaded = await read(question, usable ? kept : null, begin, signal);
    if (usable && loaded?.ok && loaded.value.step !== kept.step) {
      loaded = await read(question, null, from, signal);
    }
    if (signal.aborted || !loaded) return;
    this.busy = false;
    if (!loaded.ok && kept) return;
    this.set = loaded.ok ? loaded.value : null;
    this.tell({ set: this.set, error: loaded.ok ? null : loaded.error, loading: false });
  }
}

// Seconds that a live range moves on before the new part is asked for. A clock set back moves it too.
function paceOf({ interval, step }: Question): number {
  return Math.max(interval / 2, step / 20);
}

// What was published since `from`, put behind what is kept.
async function read(
  question: Question,
  kept: SeriesSet | null,
  from: number,
  signal: AbortSignal,
): Promise<Loaded> {
  const { wanted, bounds, interval } = question;
  const asked = kept?.step ?? question.step;
  const plain = await gather(wanted.always, question, from, asked, signal);
  if (!plain?.ok) return plain;
  const step = plain.value[0]?.step ?? asked;
  const coarse = step > interval * 1.5 ? wanted.coarse : {};
  const bands = await gather(coarse, question, from, step, signal);
  if (!bands?.ok) return bands;
  return { ok: true, value: merge(kept, [...plain.value, ...bands.value], step, bounds) };
}

async function gather(
  wants: Wants,
  { match, bounds }: Question,
  from: number,
  step: number,
  signal: AbortSignal,
): Promise<Result<SeriesDocument[]> | null> {
  const query = { match, from, to: bounds.to, step, limit: SERIES_A_REQUEST };
  const results = await Promise.all(
    requests(wants).map(([aggregate, metrics]) =>
      limited(async () => (signal.aborted ? null : fetchWholeSeries({ ...query, aggregate, metrics }, signal))),
    ),
  );
  const documents: SeriesDocument[] = [];
  for (const result of results) {
    if (!result || signal.aborted) return null;
    if (!result.ok) return result;
    documents.push(...result.value);
  }
  return { ok: true, value: documents };
}

function requests(wants: Wants): [Aggregate, string[]][] {
  const all: [Aggregate, string[]][] = [];
  for (const [aggregate, metrics] of Object.entries(wants)) {
    for (let i = 0; i < metrics.length; i += METRICS_A_REQUEST) {
      all.push([aggregate as Aggregate, metrics.slice(i, i + METRICS_A_REQUEST)]);
    }
  }
  return all;
}
