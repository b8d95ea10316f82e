// History of series over the shared range, followed live.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useNow } from "../data/live";
import { bounds, useRange } from "../data/range";
import { stepFor } from "./grid";
import { Loader, type SeriesState } from "./loader";
import type { Wanted } from "./spec";
import type { Bounds } from "./types";

const POINTS = 720;

const NOTHING: SeriesState = { set: null, error: null, loading: true };

// The shared range as times; null before the first publish is known, when it is a live one.
export function useBounds(): Bounds | null {
  const range = useRange();
  const time = useNow()?.time ?? null;
  const fixed = range.live ? null : `${range.from} ${range.to}`;
  return useMemo(
    () => (range.live && time === null ? null : bounds(range, time ?? 0)),
    [fixed, range.seconds, range.live ? time : 0],
  );
}

// Null asks for nothing.
export function useSeries(wanted: Wanted | null, match: string[]): SeriesState {
  const [state, setState] = useState(NOTHING);
  const loader = useRef<Loader>();
  const range = useRange();
  const span = useBounds();
  const interval = useNow()?.interval ?? 10;
  useEffect(() => () => loader.current?.stop(), []);
  useEffect(() => {
    if (!wanted || !span) return;
    loader.current ??= new Loader(setState);
    loader.current.ask({
      wanted,
      match,
      bounds: span,
      range: range.live ? range.last : `${range.from} ${range.to}`,
      live: range.live,
      step: stepFor(range.seconds, interval, POINTS),
      interval,
    });
  }, [wanted, match.join(" "), span, interval]);
  return state;
}
