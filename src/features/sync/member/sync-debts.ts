import { trusted } from 'mongoose';
import { doublingMs } from '../../../lib/backoff.js';
import { clock } from '../../../lib/clock.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { pushEvent } from '../../../platforms/events/outbox.js';
import { type Member, Members, newcomer, type OwedSync, type SyncTrigger } from '../../members/member-model.js';
import { claimMs, longestRetryMs, owedSync } from '../../members/owed-syncs.js';
import type { SyncPlan } from '../plan/plan.js';
import { failureEvent, noteFailure, type SyncFailure, type Tries } from './sync-events.js';

/** 10 s, doubled with each failure, at most an hour; the 32nd failure comes after a day, and is the last. */
const firstRetryMs = 10_000;
const mostAttempts = 32;

/**
 * Before a sync asks Discord for a change: keeps what it is about to do (and a nickname, which would otherwise seem to be
 * the person's own), and owes the sync: `debt`, unless something is owed already. So what a killed process has done is
 * found, and told of, by the next.
 */
export async function beginSync(guildId: string, member: GuildMember, plan: SyncPlan, debt: OwedSync): Promise<void> {
  const { chatUserId, username, nickname: formerNickname } = member;
  const { add: added, remove: removed, nickname } = plan;
  const applying = { added, removed, formerNickname, ...(nickname !== undefined && { nickname }) };
  const given = typeof nickname === 'string' && { givenNickname: nickname };
  const begun = await Members.upsert(
    { guildId, chatUserId },
    { $set: { present: true, applying, ...given }, $setOnInsert: newcomer(username) },
  );
  if (begun.owedSync !== undefined) return;
  const dueAt = new Date(clock.epochMs() + claimMs);
  const free = { guildId, chatUserId, owedSync: trusted({ $exists: false }) };
  await Members.update(free, { $set: { owedSync: { ...debt, dueAt } } });
}

/** The person is not in the guild: a sync that was planned from `member` as read is given up, and told of so. */
export async function giveUpSync(member: Pick<Member, 'guildId' | 'chatUserId' | 'owedSync'>, failure: SyncFailure) {
  const { guildId, chatUserId, owedSync } = member;
  const attempt = (owedSync?.attempts ?? 0) + 1;
  const unchanged = { $or: [{ 'owedSync.id': owedSync?.id ?? '' }, { owedSync: trusted({ $exists: false }) }] };
  // When more is owed by now, its own sync tells.
  await Members.update(
    { guildId, chatUserId, ...unchanged },
    { $unset: { owedSync: 1 }, ...pushEvent(failureEvent(member, failure, { attempt, willRetry: false })) },
  );
}

/**
 * A sync failed for a reason that passes: owes it again, later each time, and notes and tells of a `failure` in the same
 * write. Answers whether it will be tried again: not for somebody whom we don't know, nor after a day of failures; then
 * the next event has to ask again.
 */
export async function postponeSync(
  guildId: string,
  chatUserId: string,
  trigger: SyncTrigger,
  failure?: SyncFailure,
): Promise<boolean> {
  const member = await Members.findOne({ guildId, chatUserId });
  if (member === null) return false;
  const note = (tries: Tries) => (failure === undefined ? {} : noteFailure(member, trigger, failure, tries));
  const debt = member.owedSync ?? owedSync(trigger).owedSync;
  const attempt = debt.attempts + 1;
  const willRetry = attempt < mostAttempts;
  const dueAt = new Date(clock.epochMs() + doublingMs(attempt, { firstMs: firstRetryMs, longestMs: longestRetryMs }));
  const unchanged = member.owedSync ? { 'owedSync.id': debt.id } : { owedSync: trusted({ $exists: false }) };
  const postponed = await Members.update(
    { guildId, chatUserId, ...unchanged },
    {
      ...note({ attempt, willRetry }),
      ...(willRetry ? { $set: { owedSync: { ...debt, attempts: attempt, dueAt } } } : { $unset: { owedSync: 1 } }),
    },
  );
  if (postponed !== null) return willRetry;
  // More is owed by now, which is tried for the first time soon.
  await Members.update({ guildId, chatUserId }, note({ attempt, willRetry: true }));
  return true;
}
