// Light or dark: as the system says, or as chosen here. The choice stands on <html data-theme>.
import { createStore, useStore } from "./store";

export type Theme = "auto" | "light" | "dark";

const KEY = "warpsight.theme";
const chosen = createStore<Theme>(stored());

export function applyTheme(): void {
  show(chosen.get());
  chosen.subscribe(show);
}

export function useTheme(): Theme {
  return useStore(chosen);
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  chosen.set(theme);
}

function stored(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

function show(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
