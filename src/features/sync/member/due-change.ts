import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { Member } from '../../members/member-model.js';
import type { ApplyingSync, SyncRecord } from '../../members/member-sync-fields.js';
import { type CrowdReading, type MemberState, planMember } from '../plan/member-state.js';
import { type SyncPlan, whatIsLeft } from '../plan/plan.js';
import { isSyncedSince } from '../plan/planned-changes.js';
import type { SeenMember } from '../plan/seen-member.js';
import { beforeInterrupted, withInterrupted } from './interrupted-sync.js';

/** The changes by a sync on Discord: stored by plans that can be taken back. */
export interface Made {
  added: string[];
  removed: string[];
  /** The new nickname, null if it was removed; absent if unchanged. */
  nickname?: string | null;
  formerNickname: string | null;
  /** Whether the nickname before was Rolelink's own. */
  formerIsOurs?: true;
}

/** One member's planned change, as its plan was stored. */
export interface ExpectedChange {
  add: string[];
  remove: string[];
  nickname?: string | null;
  /** The member on Discord as the plan saw them. */
  seen: SeenMember;
  /** The linked account in our database when planned; null without a link. */
  gameUserId: string | null;
  /** The last sync's fence before the plan's facts were read; null: none was made. */
  fence: number | null;
  /** How old the facts were that it was planned from. */
  asOf: Date;
}

/**
 * A stored plan that a sync has to keep to. Otherwise `exactly`, it may make less than expected. Facts come from
 * `reading`, which was made for many members.
 */
export interface Within {
  expected: ExpectedChange;
  exactly: boolean;
  reading: CrowdReading;
  /** Whether the member must be read even before a single role is written: the plan is old, or was shown. */
  mustRead: boolean;
}

/** A change that another plan made, to be taken back where the member still has it whole. */
export interface Reversal {
  reverses: Made;
}

/** The rule by which a member's due changes follow from their state at the write. */
export type Due =
  | { by: 'plan'; plan: SyncPlan }
  | { by: 'expectation'; within: Within; memberState: MemberState; facts: GuildFacts }
  | { by: 'reversal'; reverses: Made; plan: SyncPlan; begun: ApplyingSync | undefined };

/** A due change; `void`: no part may be made, and why. */
export type DuePlan = SyncPlan & { void?: 'exceeded' | 'overtaken' };

/** The due changes for a member in the state `now`. Pure. */
export function dueFor(due: Due, now: SeenMember): DuePlan {
  if (due.by === 'plan') return whatIsLeft(due.plan, now);
  if (due.by === 'reversal') {
    const isMade = nowAndBefore(now, due.begun).some((state) => isAsMade(due.reverses, state));
    return isMade ? whatIsLeft(due.plan, now) : voided(due.plan, 'overtaken');
  }
  const { within, memberState, facts } = due;
  const plan = planMember(memberState, now, facts);
  if (!within.exactly) return atMost(plan, within.expected);
  // A person with another difference since the preview is left to their own sync.
  const isOther = isSyncedSince(within.expected.fence, memberState.stored) && hasMore(plan, within.expected);
  return isOther ? voided(plan, 'overtaken') : asShown(plan, within.expected, now, memberState.stored?.applying);
}

/** The member now, and before an interrupted try: that may be this plan's own, or one from before it. Pure. */
const nowAndBefore = (now: SeenMember, begun: ApplyingSync | undefined): Shown[] => [
  now,
  beforeInterrupted(now, begun),
];

const voided = ({ kick: _, ...plan }: SyncPlan, reason: NonNullable<DuePlan['void']>): DuePlan => ({
  ...{ ...plan, add: [], remove: [], nickname: undefined },
  void: reason,
});

/** A plan that takes no more than was expected. */
function atMost(plan: SyncPlan, { remove }: ExpectedChange): DuePlan {
  const isCounted = plan.kick === undefined && plan.remove.every((roleId) => remove.includes(roleId));
  return isCounted ? plan : voided(plan, 'exceeded');
}

/**
 * The changes shown, if a new plan for the member's earlier state would contain all of them, except those blocked
 * since. An interrupted try's parts on Discord count as made by this plan, which makes the rest.
 */
function asShown(
  plan: SyncPlan,
  { add, remove, nickname, seen }: ExpectedChange,
  now: SeenMember,
  begun: ApplyingSync | undefined,
): DuePlan {
  const isAmong = (roleIds: readonly string[]) => (roleId: string) => roleIds.includes(roleId);
  const isBlocked = (roleId: string) => plan.blocked.some((block) => block.roleId === roleId);
  const due = {
    ...plan,
    add: add.filter(isAmong(plan.add)),
    remove: remove.filter(isAmong(plan.remove)),
    nickname: nickname === plan.nickname ? nickname : undefined,
  };
  const { plan: whole } = withInterrupted(now, due, begun);
  const isNamed = nickname === whole.nickname || plan.nicknameBlocked !== null;
  const missing = [...add, ...remove].filter((roleId) => !isAmong([...whole.add, ...whole.remove])(roleId));
  return isNamed && missing.every(isBlocked) && nowAndBefore(now, begun).some((state) => isAsSeen(state, seen))
    ? due
    : voided(plan, 'overtaken');
}

/** Whether a plan has a part that was not expected. Pure. */
function hasMore(plan: SyncPlan, { add, remove, nickname }: ExpectedChange): boolean {
  const isRenamed = plan.nickname !== undefined && plan.nickname !== nickname;
  return isRenamed || !plan.add.every((id) => add.includes(id)) || !plan.remove.every((id) => remove.includes(id));
}

function isAsSeen({ roleIds, nickname }: Shown, seen: SeenMember): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}

type Shown = Pick<GuildMember, 'nickname'> & { roleIds: readonly string[] };

/** Whether a made change is wholly unchanged since. Pure. */
export function isAsMade({ added, removed, nickname }: Pick<Made, 'added' | 'removed' | 'nickname'>, now: Shown) {
  const holdsAll = added.every((roleId) => now.roleIds.includes(roleId));
  const holdsNone = removed.every((roleId) => !now.roleIds.includes(roleId));
  return holdsAll && holdsNone && (nickname === undefined || nickname === now.nickname);
}

/** Whether a member is as before a made change. Pure. */
export function isAsBefore({ added, removed, nickname, formerNickname }: Made, now: Shown): boolean {
  const former = nickname !== undefined && { nickname: formerNickname };
  return isAsMade({ added: removed, removed: added, ...former }, now);
}

/** A planned change that was settled before its turn. `made`: the changes by its own job or by single syncs. */
export interface Settled {
  state: 'done' | 'overtaken';
  made: Made | null;
}

/**
 * Whether a planned change was settled before its turn; null: it is still to be made.
 * Done: this job recorded it before a crash. Overtaken: another sync has changed the member since the plan or has to,
 * and takes precedence (RESYNC-16). The last sync's fence shows whether there was one since, independent of the clock.
 * An interrupted sync leaves `applying` and has recorded nothing. Pure.
 */
export function settledAs(
  { expected: { gameUserId, fence, asOf }, exactly }: Pick<Within, 'expected' | 'exactly'>,
  stored: Member | null,
  jobId: string | undefined,
): Settled | null {
  if (isSyncedSince(fence, stored)) {
    const last = stored?.syncs.findLast(({ error }) => error === undefined);
    if (last !== undefined && last.jobId === jobId) return { state: 'done', made: sumOf([last]) };
    const later = stored?.syncs.filter(({ at }) => at > asOf) ?? [];
    // A sync in observe mode has recorded nothing: the change holds if the member and their difference are as shown.
    if (!exactly || later.length > 0) return { state: 'overtaken', made: madeBySingles(later) };
  }
  const { applying, owedSync } = stored ?? {};
  const isPending = applying !== undefined && owedSync !== undefined && owedSync.id !== jobId;
  const linked = stored?.state === 'linked' ? (stored.gameUserId ?? null) : null;
  return isPending || linked !== gameUserId ? { state: 'overtaken', made: null } : null;
}

/** The changes made by single syncs, if any. Another resync counts its own. */
function madeBySingles(syncs: readonly SyncRecord[]): Settled['made'] {
  const made = syncs.filter(
    ({ jobId, added, removed, nickname, error }) =>
      jobId === undefined && error === undefined && (added.length + removed.length > 0 || nickname !== undefined),
  );
  return made.length === 0 ? null : sumOf(made);
}

/** Several syncs' changes together. Pure. */
function sumOf(syncs: readonly Pick<SyncRecord, 'added' | 'removed' | 'nickname'>[]): Made {
  const { nickname } = syncs.findLast((sync) => sync.nickname !== undefined) ?? {};
  return {
    added: syncs.flatMap(({ added }) => added),
    removed: syncs.flatMap(({ removed }) => removed),
    ...(nickname !== undefined && { nickname }),
    formerNickname: null,
  };
}
