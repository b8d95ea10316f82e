// The agent's documents, as docs/api.md states them. Times are Unix seconds, values in the metric's unit.

export type Attributes = Record<string, string>;
export type Values = Record<string, number>;
export type Severity = "info" | "warning" | "error";

export interface Owner {
  name: string;
  kind: string;
  tenant?: string | null;
  held: boolean;
  since?: number | null;
  utilization?: number | null;
  memory?: number | null;
  busy?: number | null;
  energy?: number | null;
}

export interface Process {
  pid: string;
  name: string;
  owner: string | null;
  memory?: number | null;
  utilization?: number | null;
}

export interface Gpu {
  id: string;
  kind: "gpu" | "mig";
  parent: string | null;
  index: string;
  model: string;
  vendor: string;
  attributes: Attributes;
  values: Values;
  owners: Owner[];
  processes: Process[];
  alerts: string[];
}

// Quantiles by their name: {"0.5": 0.08, "0.95": 0.31}.
export type Quantiles = Record<string, number | null>;

export interface EngineModel {
  name: string;
  attributes: Attributes;
  values: Values;
  latency: Record<string, Quantiles>;
}

export interface Engine {
  id: string;
  engine: string;
  version?: string | null;
  up: boolean;
  error: string | null;
  attributes: Attributes;
  gpus?: string[];
  models: EngineModel[];
}

export type AlertState = "pending" | "firing" | "resolved";

export interface Alert {
  id: string;
  name: string;
  state: AlertState;
  severity: Severity;
  since: number;
  fired: number | null;
  resolved: number | null;
  value: number | null;
  unit: string;
  summary: string;
  description: string;
  attributes: Attributes;
  silenced: boolean;
}

export interface AgentEvent {
  time: number;
  name: string;
  severity: Severity;
  message: string;
  attributes: Attributes;
}

export interface NowDocument {
  time: number | null;
  interval: number;
  host: string;
  version: string;
  uptime: number;
  simulated: boolean;
  scenario?: string | null;
  gpus: Gpu[];
  engines: Engine[];
  node: Values;
  devices: { expected?: number; seen?: number; lost?: number };
  alerts: Alert[];
  events: AgentEvent[];
}

export type SeriesKind = "gauge" | "counter" | "up_down_counter" | "histogram" | "info";

export interface LatestSeries {
  metric: string;
  unit: string;
  kind: SeriesKind;
  attributes: Attributes;
  value: number | null;
  time: number;
}

export interface LatestDocument {
  time: number | null;
  series: LatestSeries[];
}

export interface Series {
  metric: string;
  unit: string;
  kind: SeriesKind;
  attributes: Attributes;
  values: (number | null)[];
}

export interface SeriesDocument {
  from: number;
  to: number;
  step: number;
  aggregate: Aggregate;
  times: number[];
  series: Series[];
  left_out: number;
}

export type Aggregate = "mean" | "min" | "max" | "last" | "rate";

export interface EventsDocument {
  events: AgentEvent[];
  more: boolean;
}

export interface AlertRule {
  name: string;
  severity: Severity;
  enabled: boolean;
  summary: string;
  expression: string;
  for: number;
  keep_firing: number;
  origin: string;
  pending: number;
  firing: number;
}

export interface Silence {
  id: string;
  match: string[];
  created: number;
  until: number;
  comment: string;
}

export interface AlertsDocument {
  alerts: Alert[];
  rules: AlertRule[];
  silences: Silence[];
}
