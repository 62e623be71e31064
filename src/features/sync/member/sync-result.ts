import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { restrictionOf } from '../plan/judge-member.js';
import type { MemberState } from '../plan/member-state.js';
import { refusedNicknameOf, type SyncPlan } from '../plan/plan.js';

/** The result of a sync (SYNC-24). `nickname` is the new one, null if it was removed, undefined if unchanged. */
export interface SyncResult {
  added: string[];
  removed: string[];
  nickname: string | null | undefined;
  blocked: SyncPlan['blocked'];
  nicknameBlocked: SyncPlan['nicknameBlocked'];
  /** The nickname that Discord has refused, with Discord's reason. */
  nicknameRefused: SyncRecord['nicknameRefused'];
  /** Whether mappings depend on items that the person's private inventory hides. */
  inventoryPrivate: boolean;
  /** They get roles once they have accepted the guild's rules. */
  waitsForRules: boolean;
  /** The restriction on them here: they get no roles, or were kicked. */
  restriction: RestrictionRule | null;
  kicked: boolean;
  /** The guild is in observe mode: nothing was changed. */
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

/** Returned instead of a result if the member has no link and the sync is only for linked ones. */
export const notLinked: SyncResult = { ...nothingDone };

/** The result of a sync with these changes. Pure. */
export function resultOf(memberState: MemberState, made: SyncPlan): SyncResult {
  const { add, remove, nickname, blocked, nicknameBlocked } = made;
  const restriction = restrictionOf(memberState, memberState);
  return {
    ...{ added: add, removed: remove, nickname, blocked, nicknameBlocked, kicked: false },
    nicknameRefused: refusedNicknameOf(made),
    inventoryPrivate: memberState.traits.isPrivate,
    waitsForRules: made.waitsForRules === true,
    restriction: restriction === 'unknown' || made.sparedFrom !== undefined ? null : restriction,
  };
}
