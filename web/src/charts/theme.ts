// The page's colours as a canvas takes them, again whenever they change.
import { useEffect, useState } from "preact/hooks";
import type { Severity } from "../data/api";
import { createStore } from "../data/store";

export interface Theme {
  text: string;
  muted: string;
  grid: string;
  surface: string;
  series: string[];
  limit: string;
  severity: Record<Severity, string>;
  font: string;
}

const SLOTS = 8;

const theme = createStore<Theme | null>(null);

export function useTheme(): Theme {
  const [current, setCurrent] = useState(() => theme.get() ?? watch());
  useEffect(() => theme.subscribe((changed) => changed && setCurrent(changed)), []);
  return current;
}

// The same colour, let through by as much as `share` says.
export function faded(color: string, share: number): string {
  const [r = 0, g = 0, b = 0, own = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return `rgba(${r}, ${g}, ${b}, ${own * share})`;
}

function watch(): Theme {
  const again = () => {
    const read = readTheme();
    if (JSON.stringify(read) !== JSON.stringify(theme.get())) theme.set(read);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  matchMedia("(prefers-contrast: more)").addEventListener("change", again);
  new MutationObserver(again).observe(document.documentElement, { attributes: true });
  const read = readTheme();
  theme.set(read);
  return read;
}

function readTheme(): Theme {
  const probe = document.createElement("span");
  document.body.append(probe);
  const computed = getComputedStyle(probe);
  const color = (name: string) => {
    probe.style.color = `var(--chart-${name})`;
    return computed.color;
  };
  const read: Theme = {
    text: color("text"),
    muted: color("muted"),
    grid: color("grid"),
    surface: color("surface"),
    series: Array.from({ length: SLOTS }, (_, slot) => color(String(slot + 1))),
    limit: color("limit"),
    severity: { info: color("info"), warning: color("warning"), error: color("error") },
    font: computed.fontFamily,
  };
  probe.remove();
  return read;
}
