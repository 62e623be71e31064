import { groupIdsOf } from '../../mappings/condition.js';
import type { CountedMapping } from '../../mappings/mapping-people.js';
import type { GuildRules, MappingRule } from './guild-rules.js';
import type { MappingVerdict, SyncPlan } from './plan.js';

/** A mapping that matches a member, and its roles for them. */
export interface MatchedMapping {
  mappingId: string;
  roleIds: readonly string[];
}

interface Counts {
  version: Date;
  matching: number;
  /** Among the matching members: those that have all its roles, now and once the plan is carried out. */
  holding: number;
  coming: number;
}

/** The stored mappings that match by these verdicts, which are in rule order. Pure. */
export function matchedMappings(
  rules: readonly MappingRule[],
  verdicts: readonly MappingVerdict[],
): readonly MatchedMapping[] {
  const matched = new Map<string, string[]>();
  for (const [index, { _id, roleIds }] of rules.entries()) {
    if (_id !== undefined && verdicts[index]?.verdict === 'matched') {
      matched.set(_id, [...(matched.get(_id) ?? []), ...roleIds]);
    }
  }
  return [...matched].map(([mappingId, roleIds]) => ({ mappingId, roleIds }));
}

/**
 * Counts each stored mapping's matching members and role holders while a whole guild is planned. Mappings that can't be
 * judged, since Roblox does not know a group they name, are left out.
 */
export class MappingTally {
  readonly #counts = new Map<string, Counts>();

  constructor(
    { mappings, missing }: Pick<GuildRules, 'mappings' | 'missing'>,
    /** When the reading started that all members are judged by. */
    readonly asOf: Date,
  ) {
    for (const { _id, updatedAt, condition } of mappings) {
      const isOpen = groupIdsOf(condition).some((groupId) => missing.has(groupId));
      if (_id === undefined || updatedAt === undefined || isOpen) continue;
      this.#counts.set(_id, { version: updatedAt, matching: 0, holding: 0, coming: 0 });
    }
  }

  /** Counts one member; the plan is null if they are in step. */
  note(matched: readonly MatchedMapping[], roleIds: readonly string[], plan: Pick<SyncPlan, 'add'> | null): void {
    const isHeld = (roleId: string): boolean => roleIds.includes(roleId);
    const isComing = (roleId: string): boolean => isHeld(roleId) || plan?.add.includes(roleId) === true;
    for (const { mappingId, roleIds: given } of matched) {
      const counts = this.#counts.get(mappingId);
      if (counts === undefined) continue;
      counts.matching += 1;
      if (given.every(isHeld)) counts.holding += 1;
      if (given.every(isComing)) counts.coming += 1;
    }
  }

  /** The counts, for now or for the time after the plan. */
  counted(when: 'now' | 'once done'): CountedMapping[] {
    return [...this.#counts].map(([mappingId, { version, matching, holding, coming }]) => ({
      mappingId,
      version,
      people: { matching, holding: when === 'now' ? holding : coming, asOf: this.asOf },
    }));
  }
}
