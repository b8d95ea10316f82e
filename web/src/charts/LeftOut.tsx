import type { SeriesState } from "./loader";

// Says that charts do not have all there is.
export function LeftOut({ state: { set } }: { state: SeriesState }) {
  if (!set?.leftOut) return null;
  return <p class="note">{set.leftOut === 1 ? "1 series is" : `${set.leftOut} series are`} not shown.</p>;
}
