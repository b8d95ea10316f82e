// The last hour of every device's usage.
import { useMemo } from "preact/hooks";
import type { ApiError, SeriesDocument } from "../../data/api";
import { deviceKey, USAGE_METRICS } from "../../data/devices";
import { useFetched } from "../../data/use_fetched";
import { fetchWholeSeries } from "../../data/whole_series";

const STEP = 60;
const QUERY = { metrics: USAGE_METRICS, from: "-1h", step: STEP, limit: 1000 };

export type History = Map<string, (number | null)[]>;

export interface UtilizationHistory {
  byDevice: History; // one value a minute, by deviceKey
  error: ApiError | null;
}

export function useUtilizationHistory(): UtilizationHistory {
  const { value, error } = useFetched(
    (signal) => fetchWholeSeries(QUERY, signal),
    [],
    30,
  );
  const byDevice = useMemo(() => (value ? merged(value) : new Map()), [value]);
  return { byDevice, error };
}

// A device has one series for each owner it had: each step's value is of whichever spoke then.
function merged(documents: SeriesDocument[]): History {
  const result: History = new Map();
  const all = documents.flatMap(({ series }) => series);
  for (const metric of USAGE_METRICS) {
    const before = new Set(result.keys());
    for (const series of all) {
      const key = deviceKey(series.attributes);
      if (series.metric !== metric || !key || before.has(key)) continue;
      const known = result.get(key);
      result.set(key, known ? known.map((v, i) => v ?? series.values[i] ?? null) : series.values);
    }
  }
  return result;
}

// The mean of the last `minutes`; null: less than half of them is known.
export function recentMean(values: (number | null)[] | undefined, minutes: number): number | null {
  const known = (values ?? []).slice(-minutes).filter((value) => value !== null);
  if (known.length < minutes / 2) return null;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
