import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { restrictionOf } from '../plan/judge-member.js';
import type { MemberState } from '../plan/member-state.js';
import { refusedNicknameOf, type SyncPlan } from '../plan/plan.js';

/** What a sync did (SYNC-24). `nickname` is the new one, null when it was taken away, undefined when untouched. */
export interface SyncResult {
  added: string[];
  removed: string[];
  nickname: string | null | undefined;
  blocked: SyncPlan['blocked'];
  nicknameBlocked: SyncPlan['nicknameBlocked'];
  /** The nickname that Discord has refused, and what it says. */
  nicknameRefused: SyncRecord['nicknameRefused'];
  /** Mappings go by items, and Roblox shows the person's to nobody. */
  inventoryPrivate: boolean;
  /** They get roles once they have accepted the rules of the guild. */
  waitsForRules: boolean;
  /** What restricts them here: they get no roles, or were kicked. */
  restriction: RestrictionRule | null;
  kicked: boolean;
  /** The guild only observes: nothing was changed, whatever is due. */
  observed?: true;
}

export const nothingDone: SyncResult = {
  added: [],
  removed: [],
  nickname: undefined,
  blocked: [],
  nicknameBlocked: null,
  nicknameRefused: undefined,
  inventoryPrivate: false,
  waitsForRules: false,
  restriction: null,
  kicked: false,
};

/** The result of a sync that has done this. Pure. */
export function resultOf(standing: MemberState, made: SyncPlan): SyncResult {
  const { add, remove, nickname, blocked, nicknameBlocked } = made;
  const restriction = restrictionOf(standing, standing);
  return {
    ...{ added: add, removed: remove, nickname, blocked, nicknameBlocked, kicked: false },
    nicknameRefused: refusedNicknameOf(made),
    inventoryPrivate: standing.traits.isPrivate,
    waitsForRules: made.waitsForRules === true,
    restriction: restriction === 'unknown' || made.sparedFrom !== undefined ? null : restriction,
  };
}
