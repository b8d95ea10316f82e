import { fetchSeries, type Result, type SeriesDocument, type SeriesQuery } from "./api";

// Series of all metrics of a query: in one answer, or in as many as it takes for none to be left out.
// The answer to a single metric may still leave some out.
export async function fetchWholeSeries(
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<Result<SeriesDocument[]>> {
  const answer = await fetchSeries(query, signal);
  if (!answer.ok) return answer;
  const { metrics } = query;
  if (answer.value.left_out === 0 || metrics.length < 2) return { ok: true, value: [answer.value] };
  const half = Math.ceil(metrics.length / 2);
  const documents: SeriesDocument[] = [];
  for (const part of [metrics.slice(0, half), metrics.slice(half)]) {
    const found = await fetchWholeSeries({ ...query, metrics: part }, signal);
    if (!found.ok) return found;
    documents.push(...found.value);
  }
  return { ok: true, value: documents };
}
