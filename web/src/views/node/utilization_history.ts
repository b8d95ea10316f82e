// The last hour of every device's utilisation, in one request.
import { useMemo } from "preact/hooks";
import { fetchSeries, type ApiError, type SeriesDocument } from "../../data/api";
import { deviceKey } from "../../data/devices";
import { useFetched } from "../../data/use_fetched";

const STEP = 60;
const METRICS = ["gpu.utilization", "gpu.gr_engine.active"];

export type History = Map<string, (number | null)[]>;

export interface UtilizationHistory {
  byDevice: History; // one value a minute, by deviceKey
  error: ApiError | null;
}

export function useUtilizationHistory(): UtilizationHistory {
  const { value, error } = useFetched(
    (signal) => fetchSeries({ metrics: METRICS, from: "-1h", step: STEP, limit: 1000 }, signal),
    [],
    30,
  );
  const byDevice = useMemo(() => (value ? merged(value) : new Map()), [value]);
  return { byDevice, error };
}

// A device has one series for each owner it had: each step's value is of whichever spoke then.
function merged(document: SeriesDocument): History {
  const result: History = new Map();
  for (const metric of METRICS) {
    const before = new Set(result.keys());
    for (const series of document.series) {
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
