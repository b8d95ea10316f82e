// What mouse, wheel and finger do to a chart.
import type uPlot from "uplot";
import { backToLive, moveTo, panBy, shownBy, zoomBy, zoomTo } from "./zoom";

const WHEEL_FACTOR = 1.0015;

// Drag zooms; with shift it pans; a double click goes back to live.
export function mouseBindings(group: string): uPlot.Cursor.Bind {
  return {
    mousedown: (u, _, handler) => (event) =>
      event.shiftKey ? beginPan(u, group, event) : handler(event),
    dblclick: () => () => {
      backToLive();
      return null;
    },
  };
}

export function takeSelection(u: uPlot): void {
  const { left, width } = u.select;
  if (width <= 0) return;
  const from = u.posToVal(left, "x");
  const to = u.posToVal(left + width, "x");
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  zoomTo(from, to);
}

// The wheel zooms with ctrl (so does a pinch) and pans when it is shift's or a sideways one; the page
// scrolls otherwise. A finger moves the cursor sideways and scrolls up and down.
export function listen(u: uPlot, group: string): void {
  u.over.addEventListener(
    "wheel",
    (event) => {
      const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
      if (!event.ctrlKey && Math.abs(sideways) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
      event.preventDefault();
      const shown = shownBy(u);
      const around = u.posToVal(event.offsetX, "x");
      if (event.ctrlKey) zoomBy(group, shown, around, WHEEL_FACTOR ** event.deltaY);
      else panBy(group, shown, (sideways / u.over.clientWidth) * (shown.to - shown.from));
    },
    { passive: false },
  );
  u.over.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") return;
    u.setCursor({ left: event.clientX - u.rect.left, top: event.clientY - u.rect.top });
  });
}

function beginPan(u: uPlot, group: string, start: MouseEvent): null {
  const shown = shownBy(u);
  const perPixel = (shown.to - shown.from) / u.over.clientWidth;
  const move = (event: MouseEvent) => {
    const seconds = (start.clientX - event.clientX) * perPixel;
    moveTo(group, { from: shown.from + seconds, to: shown.to + seconds });
  };
  const end = () => {
    document.removeEventListener("mousemove", move);
    document.removeEventListener("mouseup", end);
  };
  document.addEventListener("mousemove", move);
  document.addEventListener("mouseup", end);
  return null;
}
