// A chart by keyboard: arrows move the cursor, with shift the range; + and - zoom around the cursor,
// Enter widens the range, Escape goes back to live.
import type { RefObject } from "preact";
import type { Plot } from "./plot";
import { backToLive, panBy, shownBy, zoomBy } from "./zoom";

export interface Keyed {
  plot: RefObject<Plot>;
  group: string;
  index: number | null; // where the cursor is
  count: number; // of times
  onMove: (index: number) => void;
}

const PAN = 0.2;

export function keysOf({ plot, group, index, count, onMove }: Keyed): (event: KeyboardEvent) => void {
  return (event) => {
    const target = plot.current;
    if (!target || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = shownBy(target.u);
    const around = index === null ? (shown.from + shown.to) / 2 : (target.u.data[0][index] ?? shown.to);
    const go = (to: number) => {
      const at = Math.min(Math.max(to, 0), count - 1);
      target.pointAt(at);
      onMove(at);
    };
    const pan = (direction: number) => panBy(group, shown, direction * PAN * (shown.to - shown.from));
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? pan(-1) : go((index ?? count) - 1)),
      ArrowRight: () => (event.shiftKey ? pan(1) : go((index ?? -1) + 1)),
      Home: () => go(0),
      End: () => go(count - 1),
      "+": () => zoomBy(group, shown, around, 0.5),
      "-": () => zoomBy(group, shown, around, 2),
      Enter: () => zoomBy(group, shown, around, 2),
      Escape: backToLive,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
}
