// How it is known who owns what, by the owner's name.
import type { OwnersDocument } from "../../data/api";

export interface Evidence {
  held: string[];
  used: string[];
}

export function evidenceByOwner(document: OwnersDocument | null): Map<string, Evidence> {
  const result = new Map<string, Evidence>();
  for (const owner of document?.devices.flatMap(({ owners }) => owners) ?? []) {
    const known = result.get(owner.name) ?? { held: [], used: [] };
    result.set(owner.name, {
      held: [...new Set([...known.held, ...owner.held_by])],
      used: [...new Set([...known.used, ...owner.used_by])],
    });
  }
  return result;
}
