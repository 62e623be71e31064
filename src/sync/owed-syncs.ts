import { trusted } from 'mongoose';
import { newSecret } from '../lib/ids.js';
import { type Member, Members, type OwedSync, type SyncTrigger } from '../members/member-model.js';

/** Time for whoever makes the change to run the sync themselves before the job takes it up. */
const graceMs = 5_000;
/** Longer than a sync takes: no other process takes it up meanwhile. */
const claimMs = 60_000;
/** 10 s, doubled with each failure, at most an hour; the 32nd failure comes after a day, and is the last. */
const firstRetryMs = 10_000;
const longestRetryMs = 60 * 60_000;
const mostAttempts = 32;

/** A new debt: put it into the very write (`$set`) that makes a sync of the member necessary. It replaces an older one. */
export function owedSync(trigger: SyncTrigger): { owedSync: OwedSync } {
  return { owedSync: { id: newSecret(), trigger, dueAt: new Date(Date.now() + graceMs), attempts: 0 } };
}

/** A sync is done that was planned from `member` as read: pays what it was owed then, and nothing newer. */
export async function paySync({ guildId, chatUserId, owedSync }: Member): Promise<void> {
  if (owedSync === undefined) return;
  await Members.update({ guildId, chatUserId, 'owedSync.id': owedSync.id }, { $unset: { owedSync: 1 } });
}

/** The guild is not ours any more: nothing is owed in it. */
export async function forgiveSync(guildId: string, chatUserId: string): Promise<void> {
  await Members.update({ guildId, chatUserId }, { $unset: { owedSync: 1 } });
}

/**
 * A sync failed for a reason that passes: owes it again, later each time. Answers whether it will be tried again: not
 * for somebody whom we don't know, nor after a day of failures; then the next event has to ask again.
 */
export async function postponeSync(guildId: string, chatUserId: string, trigger: SyncTrigger): Promise<boolean> {
  const member = await Members.findOne({ guildId, chatUserId });
  if (member === null) return false;
  const debt = member.owedSync ?? owedSync(trigger).owedSync;
  const attempts = debt.attempts + 1;
  if (attempts >= mostAttempts) {
    await paySync(member);
    return false;
  }
  const dueAt = new Date(Date.now() + Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs));
  const unchanged = member.owedSync ? { 'owedSync.id': debt.id } : { owedSync: trusted({ $exists: false }) };
  await Members.update({ guildId, chatUserId, ...unchanged }, { $set: { owedSync: { ...debt, attempts, dueAt } } });
  return true;
}

/** Leaves a sync for later that nobody may do now, without counting it as a failure. */
export async function restSync(guildId: string, chatUserId: string): Promise<void> {
  const dueAt = new Date(Date.now() + longestRetryMs);
  const owing = { guildId, chatUserId, owedSync: trusted({ $exists: true }) };
  await Members.update(owing, { $set: { 'owedSync.dueAt': dueAt } });
}

/** Takes up the sync that has been due longest, so that no other process does within the next minute. */
export function takeDueSync(now: Date): Promise<(Member & { owedSync: OwedSync }) | null> {
  return Members.acrossGuilds
    .findOneAndUpdate(
      { 'owedSync.dueAt': trusted({ $lte: now }) },
      { $set: { 'owedSync.dueAt': new Date(now.getTime() + claimMs) } },
      { sort: { 'owedSync.dueAt': 1 }, returnDocument: 'before' },
    )
    .lean<(Member & { owedSync: OwedSync }) | null>()
    .exec();
}
