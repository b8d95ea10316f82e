// Views are addresses after the hash: "#/gpu/GPU-5a17?range=1h". The query goes along from view to view.
import type { ComponentChildren, JSX } from "preact";
import { createStore, useStore } from "./data/store";

export type ViewName = "node" | "gpu" | "engine" | "workloads" | "events" | "agent" | "unknown";

export interface Route {
  view: ViewName;
  id: string; // of the GPU or engine, decoded; else empty
  query: URLSearchParams;
}

// What goes along when another view is opened.
const SHARED = ["range", "from", "to"];

const route = createStore<Route>(parse(location.hash));
window.addEventListener("hashchange", () => route.set(parse(location.hash)));

export function useRoute(): Route {
  return useStore(route);
}

export function currentRoute(): Route {
  return route.get();
}

// The address of a view under the present time range, with more parameters when given.
function hrefOf(view: ViewName, id = "", parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  for (const key of SHARED) {
    const value = route.get().query.get(key);
    if (value !== null) query.set(key, value);
  }
  for (const [key, value] of Object.entries(parameters)) query.set(key, value);
  return address(view, id, query);
}

export function navigate(view: ViewName, id = "", parameters: Record<string, string> = {}): void {
  location.hash = hrefOf(view, id, parameters);
}

// Changes parameters of the present view; null removes one. `replace` leaves no step to go back to.
export function setParameters(changes: Record<string, string | null>, replace = false): void {
  const { view, id, query } = route.get();
  const changed = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  const target = address(view, id, changed);
  if (target === location.hash) return;
  if (!replace) {
    location.hash = target;
    return;
  }
  history.replaceState(null, "", target);
  route.set(parse(target));
}

export interface LinkProps extends Omit<JSX.IntrinsicElements["a"], "href"> {
  view: ViewName;
  id?: string;
  parameters?: Record<string, string>;
  children?: ComponentChildren;
}

export function Link({ view, id = "", parameters = {}, children, ...rest }: LinkProps) {
  useRoute();
  return (
    <a {...rest} href={hrefOf(view, id, parameters)}>
      {children}
    </a>
  );
}

function address(view: ViewName, id: string, query: URLSearchParams): string {
  const path = view === "node" ? "#/" : `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}`;
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const [view = "", ...rest] = path.split("/").filter(Boolean);
  return { view: viewOf(view), id: decode(rest.join("/")), query: new URLSearchParams(query) };
}

function viewOf(name: string): ViewName {
  switch (name) {
    case "":
    case "node":
      return "node";
    case "gpu":
    case "engine":
    case "workloads":
    case "events":
    case "agent":
      return name;
    default:
      return "unknown";
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
