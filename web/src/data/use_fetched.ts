// A document that a view asks for: again after each publish (not more often than every `every`
// seconds, unless the agent was away), when what it depends on changes, and when told to. The last
// answer stays while a new one is awaited.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ApiError, Result } from "./api";
import { onNow } from "./live";

export interface Fetched<T> {
  value: T | null;
  error: ApiError | null;
  loading: boolean; // true until the first answer to the present question
  reload: () => void;
}

interface Answer<T> {
  value: T | null;
  error: ApiError | null;
  loading: boolean;
}

export function useFetched<T>(
  question: (signal: AbortSignal) => Promise<Result<T>>,
  dependencies: readonly unknown[],
  every = 10,
): Fetched<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, error: null, loading: true });
  const latest = useRef(question);
  latest.current = question;
  const inFlight = useRef<AbortController | null>(null);

  const unanswered = useRef(false);

  const reload = useCallback(() => {
    inFlight.current?.abort();
    const abort = new AbortController();
    inFlight.current = abort;
    void latest.current(abort.signal).then((result) => {
      if (abort.signal.aborted) return;
      inFlight.current = null;
      unanswered.current = !result.ok && result.error.status === 0;
      setAnswer((before) =>
        result.ok
          ? { value: result.value, error: null, loading: false }
          : { value: before.value, error: result.error, loading: false },
      );
    });
  }, []);

  useEffect(() => {
    let asked = Date.now();
    setAnswer((before) => ({ ...before, loading: true }));
    reload();
    const stop = onNow(() => {
      const soon = Date.now() - asked < every * 1000;
      if (inFlight.current || (soon && !unanswered.current)) return;
      asked = Date.now();
      reload();
    });
    return () => {
      stop();
      inFlight.current?.abort();
      inFlight.current = null;
    };
  }, [...dependencies, every, reload]);

  return { ...answer, reload };
}
