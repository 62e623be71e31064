import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readMember } from '../../../platforms/discord/guild-members.js';
import { findMember, markAbsent } from '../../members/member-service.js';
import { requireWhole } from '../plan/guild-rules.js';
import { type MemberState, memberStateInCrowd } from '../plan/member-state.js';
import { blockedAmong, hasWork, isSingle, nicknameObstacle, type SyncPlan } from '../plan/plan.js';
import type { SeenMember } from '../plan/seen-member.js';
import { SyncFacts } from '../plan/went-by.js';
import { byPartsIfRefused, carryOut, type LeasedSync, readChatSide, type Try } from './carry-out.js';
import { dueFor, isAsBefore, isAsMade, type Made, type Reversal, settledAs, type Within } from './due-change.js';
import type { MemberChange } from './member-change.js';
import { recordSync } from './sync-record.js';
import { nothingMade, outcomeOf, type SyncOutcome, stateOf } from './sync-result.js';
import { postponeSync } from './sync-retries.js';
import { tellOfLeaver } from './sync-telling.js';
import { PlanOutdated } from './write-gate.js';

/**
 * Makes a planned change, as far as it still holds (RESYNC-12). A failure is neither stored nor enqueued here. A member
 * that would lose more than was expected, or without an answer from Roblox, is left to their own sync, which reads
 * Roblox twice.
 */
export async function syncWithin(sync: LeasedSync, within: Within): Promise<SyncOutcome> {
  const { guildId, chatUserId, cause } = sync;
  const stored = await findMember(guildId, chatUserId);
  const settled = settledAs(within, stored, cause.jobId);
  if (settled !== null) return { ...nothingMade(settled.state), made: settled.made };
  const memberState = memberStateInCrowd(stored, within.reading);
  const outcome = memberState === null ? nothingMade('exceeded') : await makeExpected(sync, within, memberState);
  if (outcome.state === 'exceeded') await postponeSync(guildId, chatUserId, 'resync');
  return outcome;
}

async function makeExpected(sync: LeasedSync, within: Within, memberState: MemberState): Promise<SyncOutcome> {
  const { guildId, chatUserId } = sync;
  requireWhole(memberState);
  // The plan dates from before the guild began to observe.
  if (memberState.settings.mode === 'observe') return nothingMade('overtaken');
  try {
    return await byPartsIfRefused(sync, memberState.stored, (once) =>
      tryExpected(sync, within, { ...memberState, stored: once.stored }, once),
    );
  } catch (error) {
    if (!(error instanceof PlanOutdated)) throw error;
    // Their own sync reports the begun change.
    if ((await findMember(guildId, chatUserId))?.applying !== undefined)
      await postponeSync(guildId, chatUserId, 'resync');
    return nothingMade('overtaken');
  }
}

async function tryExpected(
  sync: LeasedSync,
  within: Within,
  memberState: MemberState,
  once: Try,
): Promise<SyncOutcome> {
  const { guildId, chatUserId, cause } = sync;
  const { stored, game } = memberState;
  const seen = stored?.applying === undefined ? within.expected.seen : undefined;
  const side = await readChatSide(sync, once, seen);
  if (side === null) return left(sync, once);
  const gameUserId = game?.gameUserId ?? null;
  const facts = new SyncFacts(memberState, memberState.readAt);
  const change: MemberChange = {
    ...{ ...sync, stored, gameUserId, roles: facts.roles, wentBy: facts.wentBy({ ...memberState, gameUserId }) },
    ...ownPending(stored?.owedSync, cause.jobId),
    byParts: once.byParts ? side.facts : undefined,
    gate: { rulesKey: facts.rulesKey, readAt: Number.NEGATIVE_INFINITY },
    due: { by: 'expectation', within, memberState, facts: side.facts },
  };
  const mustRead = side.member === seen && within.mustRead && isSingle(dueFor(change.due, side.member));
  const member = mustRead ? await readMember(guildId, chatUserId) : side.member;
  const made = member && (await carryOut(change, member));
  if (made === null) return left(sync, once);
  // A resync has stored the members in step.
  if (once.byParts || hasWork(made.plan)) await recordSync(change, made);
  return { ...outcomeOf(made), ...stateOf(memberState, made.plan) };
}

/** A planned change completes no pending sync with another cause: that one may be newer than its facts. */
function ownPending(pending: MemberChange['pending'], jobId: string | undefined) {
  return pending !== undefined && pending.id === jobId ? { pending, isPending: true } : {};
}

async function left(sync: LeasedSync, { stored }: Try): Promise<SyncOutcome> {
  await markAbsent(sync.guildId, sync.chatUserId);
  await tellOfLeaver(sync, stored);
  return nothingMade('left');
}

/**
 * Takes back what another plan has made, where the member still has it whole; the guild's mode permits it. A person
 * left out stays as they are.
 */
export async function takeBack(sync: LeasedSync, { reverses }: Reversal): Promise<SyncOutcome> {
  const stored = await findMember(sync.guildId, sync.chatUserId);
  if (stored?.leftOut !== undefined) return nothingMade('overtaken');
  return byPartsIfRefused(sync, stored, (once) => tryBack(sync, reverses, once));
}

async function tryBack(sync: LeasedSync, reverses: Made, once: Try): Promise<SyncOutcome> {
  const side = await readChatSide(sync, once, undefined);
  if (side === null) return left(sync, once);
  const { member, facts } = side;
  const isBefore = !isAsMade(reverses, member) && isAsBefore(reverses, member);
  const plan = planBack(reverses, member, facts);
  const change: MemberChange = {
    ...{ ...sync, stored: once.stored, gameUserId: once.stored?.gameUserId ?? null },
    byParts: once.byParts ? facts : undefined,
    gate: { rulesKey: null, readAt: Number.NEGATIVE_INFINITY },
    due: { by: 'reversal', reverses, plan, begun: once.stored?.applying },
  };
  const made = await carryOut(change, member);
  if (made === null) return left(sync, once);
  if (once.byParts || hasWork(made.plan)) await recordSync(change, made);
  const outcome = outcomeOf(made);
  return isBefore ? { ...outcome, state: 'done' } : outcome;
}

/** The plan that takes a made change back, as far as the bot may. Pure. */
function planBack({ added, removed, nickname, formerNickname }: Made, member: SeenMember, facts: GuildFacts): SyncPlan {
  const blocked = blockedAmong([...added, ...removed], facts, new Set());
  const isPossible = (roleId: string) => blocked.every((block) => block.roleId !== roleId);
  const nicknameBlocked = nickname === undefined ? null : nicknameObstacle(member, facts);
  return {
    ...{ add: removed.filter(isPossible), remove: added.filter(isPossible), blocked, nicknameBlocked },
    nickname: nickname === undefined || nicknameBlocked !== null ? undefined : formerNickname,
  };
}
