// Owners over all the devices they have.
import type { Gpu, NowDocument, Owner } from "./api";
import { units } from "./devices";

export type Grouping = "owner" | "tenant" | "kind";

export interface Workload {
  name: string;
  kinds: string[];
  tenants: string[];
  owners: string[]; // names
  devices: Gpu[];
  held: number; // devices it was given
  used: number | null; // devices' worth of utilisation: 1.8 of 4 measured
  measured: Gpu[]; // devices whose utilisation by it is known
  memory: number | null;
  energy: number | null;
  busy: number | null; // device seconds
  idle: number | null; // device seconds since it came, less busy ones
  since: number | null; // the earliest
}

export function workloads(now: NowDocument, grouping: Grouping): Workload[] {
  const groups = new Map<string, Workload>();
  for (const gpu of units(now.gpus)) {
    for (const owner of gpu.owners) {
      const name = groupOf(owner, grouping);
      const group = groups.get(name) ?? nobody(name);
      add(group, owner, gpu, now.time);
      groups.set(name, group);
    }
  }
  return [...groups.values()];
}

// Of the devices that say how much it uses them, the share it uses.
export function usedShare({ used, measured }: Workload): number | null {
  return used === null ? null : used / measured.length;
}

// Of the time it had its devices, the share they were busy.
export function busyShare({ busy, idle }: Workload): number | null {
  return busy === null || idle === null || busy + idle === 0 ? null : busy / (busy + idle);
}

const NO_TENANT = "no tenant";

function groupOf(owner: Owner, grouping: Grouping): string {
  if (grouping === "kind") return owner.kind;
  return grouping === "tenant" ? (owner.tenant ?? NO_TENANT) : owner.name;
}

function nobody(name: string): Workload {
  return {
    name,
    kinds: [],
    tenants: [],
    owners: [],
    devices: [],
    held: 0,
    used: null,
    measured: [],
    memory: null,
    energy: null,
    busy: null,
    idle: null,
    since: null,
  };
}

function add(group: Workload, owner: Owner, gpu: Gpu, now: number | null): void {
  include(group.kinds, owner.kind);
  include(group.owners, owner.name);
  if (owner.tenant) include(group.tenants, owner.tenant);
  include(group.devices, gpu);
  if (typeof owner.utilization === "number") include(group.measured, gpu);
  group.held += owner.held ? 1 : 0;
  group.used = plus(group.used, owner.utilization);
  group.memory = plus(group.memory, owner.memory);
  group.energy = plus(group.energy, owner.energy);
  group.busy = plus(group.busy, owner.busy);
  group.idle = plus(group.idle, idleTime(owner, now));
  if (owner.since) group.since = Math.min(group.since ?? Infinity, owner.since);
}

function idleTime(owner: Owner, now: number | null): number | null {
  if (!owner.held || !owner.since || now === null) return null;
  if (owner.busy === null || owner.busy === undefined) return null;
  return Math.max(0, now - owner.since - owner.busy);
}

function plus(sum: number | null, value: number | null | undefined): number | null {
  return value === null || value === undefined ? sum : (sum ?? 0) + value;
}

function include<T>(list: T[], item: T): void {
  if (!list.includes(item)) list.push(item);
}
