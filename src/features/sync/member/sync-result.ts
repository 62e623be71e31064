import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { NotFound } from '../../../lib/errors.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { restrictionOf } from '../plan/judge-member.js';
import type { MemberState } from '../plan/member-state.js';
import { hasWork, refusedNicknameOf, type SyncPlan } from '../plan/plan.js';
import type { Made } from './due-change.js';
import type { MadeChange } from './member-change.js';

/**
 * How a sync ended. `partly`: obstacles or Discord's refusals hold the rest back. `exceeded`: it would take more than
 * the plan expected, so nothing was made, and their own sync follows. `overtaken`: the member was synced, relinked or
 * otherwise changed since the plan, or the rules were. `left`: the person is not in the guild.
 */
export type SyncEnd = 'done' | 'partly' | 'exceeded' | 'overtaken' | 'left';

/** A sync's answer. */
export interface SyncOutcome extends SyncResult {
  state: SyncEnd;
  /** The made changes, by an interrupted try too; null: none. `overtaken`: the part that others have made. */
  made: Made | null;
}

/** A sync's result (SYNC-24). `nickname` is the new one, null if it was removed, undefined if unchanged. */
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
  /** An admin leaves them out (OBS-117). */
  leftOut?: true;
  /** The restriction on them here: they get no roles, or were kicked. */
  restriction: RestrictionRule | null;
  kicked: boolean;
  /** The guild is in observe mode: nothing was changed. */
  observed?: true;
}

const nothingDone: SyncResult = {
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

/** The outcome when a sync has changed nothing. */
export const nothingMade = (state: SyncEnd): SyncOutcome => ({ ...nothingDone, state, made: null });

/** Returned instead of an outcome if the member has no link and the sync is only for linked ones. */
export const notLinked: SyncOutcome = nothingMade('done');

/** The outcome for callers that need the person in the guild. Throws NotFound `member_not_found`. */
export function requireThere(outcome: SyncOutcome): SyncOutcome {
  if (outcome.state === 'left') throw notThere();
  return outcome;
}

export const notThere = (): NotFound => new NotFound('member_not_found', "This person isn't in the server.");

/** A change's outcome as it was made. Pure. */
export function outcomeOf({ member, plan }: MadeChange): SyncOutcome {
  const { add: added, remove: removed, nickname, blocked, nicknameBlocked } = plan;
  const isWhole = blocked.length === 0 && nicknameBlocked === null;
  const named = nickname !== undefined && { nickname };
  const made = { added, removed, ...named, formerNickname: member.nickname };
  return {
    ...nothingDone,
    ...{ added, removed, nickname, blocked, nicknameBlocked },
    nicknameRefused: refusedNicknameOf(plan),
    waitsForRules: plan.waitsForRules === true,
    ...(plan.leftOut && { leftOut: plan.leftOut }),
    state: plan.void ?? (isWhole ? 'done' : 'partly'),
    made: hasWork(plan) ? made : null,
  };
}

/** The outcome part that comes from a member's state. Pure. */
export function stateOf(memberState: MemberState, { sparedFrom }: Pick<SyncPlan, 'sparedFrom'>) {
  const restriction = restrictionOf(memberState, memberState);
  return {
    inventoryPrivate: memberState.traits.isPrivate,
    restriction: restriction === 'unknown' || sparedFrom !== undefined ? null : restriction,
  };
}
