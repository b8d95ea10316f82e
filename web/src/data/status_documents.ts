// What /api/v1/owners and /api/v1/status answer.
import type { Attributes } from "./documents";

export interface OwnerProcess {
  pid: string;
  name: string;
  evidence?: string;
  memory_used_bytes?: number;
}

export interface DeviceOwner {
  kind: string;
  name: string;
  tenant?: string;
  attributes: Attributes;
  held_by: string[];
  used_by: string[];
  since: string;
  busy_seconds: number;
  energy_joules: number;
  utilization?: number;
  memory_used_bytes?: number;
  processes: OwnerProcess[];
}

export interface OwnedDevice {
  kind: "gpu" | "mig";
  divided?: boolean;
  attributes: Attributes;
  utilization?: number;
  memory_used_bytes?: number;
  memory_total_bytes?: number;
  owners: DeviceOwner[];
  unknown_processes: OwnerProcess[];
  unattributed: { busy_seconds: number; energy_joules: number };
}

export interface OwnersDocument {
  time: string;
  devices: OwnedDevice[];
  lookups: Record<string, { question: string; answer: string }[]>;
}

export interface SourceStatus {
  name: string;
  summary: string;
  enabled: boolean;
  up: boolean;
  simulated: boolean;
  period_seconds: number;
  duration_seconds: number;
  errors: number;
  restarts: number;
  series: number;
  last_error: string;
}

export interface SinkStatus {
  name: string;
  target: string;
  up: boolean;
  sent: number;
  failures: number;
  last_error: string;
  state: string;
  dropped: number;
  waiting_points: number;
  waiting_bytes: number;
  waiting_seconds: number;
}

export interface HistoryStatus {
  enabled: boolean;
  up: boolean;
  path: string;
  bytes: number;
  max_bytes: number;
  series: number;
  oldest: number | null; // null: nothing is kept yet
  oldest_full: number | null; // at full resolution
  dropped: number;
  last_error: string;
  set_aside: string;
}

export interface Absence {
  metric: string;
  why: string;
  detail: string;
  entity: Attributes;
}

export interface StatusDocument {
  version: string;
  host: string;
  simulated: boolean;
  scenario?: string;
  uptime_seconds: number;
  found: string[];
  sources: SourceStatus[];
  sinks: SinkStatus[];
  history: HistoryStatus;
  publish: { time: string; age_seconds: number; interval_seconds: number; samples: number } | null;
  drops: Record<string, number>;
  absences: Absence[];
}
