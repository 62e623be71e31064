import { trusted } from 'mongoose';
import { waitAfter } from '../../../lib/backoff.js';
import { clock } from '../../../lib/clock.js';
import { dayMs } from '../../../lib/time.js';
import { push } from '../../../platforms/events/outbox.js';
import { frequentAttempts, type Member, Members } from '../../members/member-model.js';
import type { SyncTrigger } from '../../members/member-sync-fields.js';
import { pendingSync, retries } from '../../members/pending-syncs.js';
import { failureEvent, noteFailure, type SyncFailure, type Tries } from './sync-record.js';

/** Gives up a sync planned from `member` as read, since the person is not in the guild, and reports that. */
export async function giveUpSync(member: Pick<Member, 'guildId' | 'chatUserId' | 'owedSync'>, failure: SyncFailure) {
  const { guildId, chatUserId, owedSync: pendingSync } = member;
  const attempt = (pendingSync?.attempts ?? 0) + 1;
  const unchanged = { $or: [{ 'owedSync.id': pendingSync?.id ?? '' }, { owedSync: trusted({ $exists: false }) }] };
  // A newer pending sync reports for itself.
  await Members.update(
    { guildId, chatUserId, ...unchanged },
    { $unset: { owedSync: 1, kicking: 1 }, ...push(failureEvent(member, failure, { attempt, willRetry: false })) },
  );
}

/** A postponed sync's failure, and whether its removals have counted for the removal limit (`PendingSync`). */
export interface Postponement extends Partial<SyncFailure> {
  counted?: true;
}

/**
 * Enqueues a failed sync again, at growing intervals, and stores and reports its `error` in the same write. Returns
 * whether it will be retried: not for a person unknown to us.
 */
export async function postponeSync(
  guildId: string,
  chatUserId: string,
  trigger: SyncTrigger,
  { counted, error, ...roles }: Postponement = {},
): Promise<boolean> {
  const member = await Members.findOne({ guildId, chatUserId });
  if (member === null) return false;
  const note = (tries: Tries) => (error === undefined ? {} : noteFailure(member, trigger, { error, ...roles }, tries));
  const pending = member.owedSync ?? pendingSync(trigger).owedSync;
  const attempt = pending.attempts + 1;
  const waitMs = waitAfter(attempt, retries);
  // The 32nd failure comes after a day.
  const dueAt = new Date(clock.epochMs() + (attempt < frequentAttempts ? waitMs : dayMs));
  const unchanged = member.owedSync ? { 'owedSync.id': pending.id } : { owedSync: trusted({ $exists: false }) };
  const postponed = await Members.update(
    { guildId, chatUserId, ...unchanged },
    {
      ...note({ attempt, willRetry: true }),
      $set: { owedSync: { ...pending, attempts: attempt, dueAt, ...(counted && { counted }) } },
    },
  );
  // A newer sync is pending, whose first try comes soon.
  if (postponed === null) await Members.update({ guildId, chatUserId }, note({ attempt, willRetry: true }));
  return true;
}
