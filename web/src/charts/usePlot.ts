// Keeps a plot in an element: the same one while its structure stays, redrawn when anything changes.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, type MutableRef } from "preact/hooks";
import { Plot, structure, type Frame, type Picture, type Pointed } from "./plot";

// Returns where the plot goes; `plot` is set while there is one.
export function usePlot(
  plot: MutableRef<Plot | null>,
  frame: Frame,
  picture: Picture,
  onPoint: (pointed: Pointed | null) => void,
): RefObject<HTMLDivElement> {
  const element = useRef<HTMLDivElement>(null);
  const { theme, group, unit, top, fromZero, states } = frame;
  useLayoutEffect(() => {
    if (!element.current) return;
    const made = new Plot(element.current, frame, picture, onPoint);
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(element.current);
    plot.current = made;
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [structure(picture.lines), theme, group, unit, top, fromZero, states]);
  useLayoutEffect(() => plot.current?.update(picture), [picture]);
  return element;
}
