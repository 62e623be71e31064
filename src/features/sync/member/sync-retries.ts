import { trusted } from 'mongoose';
import { waitAfter } from '../../../lib/backoff.js';
import { clock } from '../../../lib/clock.js';
import { dayMs } from '../../../lib/time.js';
import { pushEvent } from '../../../platforms/events/outbox.js';
import { frequentAttempts, type Member, Members } from '../../members/member-model.js';
import type { SyncTrigger } from '../../members/member-sync-fields.js';
import { pendingSync, retries } from '../../members/pending-syncs.js';
import { failureEvent, noteFailure, type SyncFailure, type Tries } from './sync-record.js';

/** The person is not in the guild: a sync that was planned from `member` as read is given up, and told of so. */
export async function giveUpSync(member: Pick<Member, 'guildId' | 'chatUserId' | 'owedSync'>, failure: SyncFailure) {
  const { guildId, chatUserId, owedSync: pendingSync } = member;
  const attempt = (pendingSync?.attempts ?? 0) + 1;
  const unchanged = { $or: [{ 'owedSync.id': pendingSync?.id ?? '' }, { owedSync: trusted({ $exists: false }) }] };
  // When more is owed by now, its own sync tells.
  await Members.update(
    { guildId, chatUserId, ...unchanged },
    { $unset: { owedSync: 1, kicking: 1 }, ...pushEvent(failureEvent(member, failure, { attempt, willRetry: false })) },
  );
}

/**
 * A sync failed for a reason that passes: owes it again, later each time, and notes and tells of a `failure` in the same
 * write. Answers whether it will be tried again: not for somebody whom we don't know.
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
  const debt = member.owedSync ?? pendingSync(trigger).owedSync;
  const attempt = debt.attempts + 1;
  const waitMs = waitAfter(attempt, retries);
  // The 32nd failure comes after a day.
  const dueAt = new Date(clock.epochMs() + (attempt < frequentAttempts ? waitMs : dayMs));
  const unchanged = member.owedSync ? { 'owedSync.id': debt.id } : { owedSync: trusted({ $exists: false }) };
  const postponed = await Members.update(
    { guildId, chatUserId, ...unchanged },
    { ...note({ attempt, willRetry: true }), $set: { owedSync: { ...debt, attempts: attempt, dueAt } } },
  );
  // Otherwise more is owed by now, which is tried for the first time soon.
  if (postponed === null) await Members.update({ guildId, chatUserId }, note({ attempt, willRetry: true }));
  return true;
}
