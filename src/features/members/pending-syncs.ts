import { trusted, type UpdateQuery } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { Signal } from '../../lib/signal.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time.js';
import { updateOneDirectly } from '../../platforms/database/direct-writes.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import { pending } from '../../platforms/database/pending.js';
import type { GuildMember } from '../../platforms/discord/guild-members.js';
import { type Member, Members, memberIndexes, syncedUpTo } from './member-model.js';
import type { PendingSync, SyncTrigger } from './member-sync-fields.js';

/** Time for the process that makes a change to run the sync before the job claims it. */
const graceMs = 5_000;
/** Longer than a sync takes, so that no other process claims it in the meantime. */
export const claimMs = minuteMs;
/** The waits after failures, until they are a day apart (`frequentAttempts`). */
export const retries = { firstMs: 10 * secondMs, longestMs: hourMs };

const syncs = pending<Member, Member & { owedSync: PendingSync }>(Members.acrossGuilds, 'owedSync.dueAt', {
  what: 'sync of a member',
  index: memberIndexes.dueAt,
  claimMs,
  backoff: retries,
  fairBy: 'guildId',
  identity: 'owedSync.id',
  longestMs: dayMs,
});

type MemberKey = Pick<Member, 'guildId' | 'chatUserId'>;
const syncPending = new Signal<[member: MemberKey, trigger: SyncTrigger, gatewayMember?: GuildMember]>();

/**
 * Calls `listener` when a member's pending sync should run soon. It must not throw: the pending sync is stored already.
 * @returns a function that ends the calls.
 */
export const onSyncPending = syncPending.on;

/** Announces that a pending sync should run soon; `gatewayMember`: the member as just reported by the gateway. */
export function announceSync(
  { guildId, chatUserId }: MemberKey,
  trigger: SyncTrigger,
  gatewayMember?: GuildMember,
): void {
  syncPending.emit({ guildId, chatUserId }, trigger, gatewayMember);
}

/**
 * A new pending sync, for the same write (`$set`) that makes it necessary. It replaces an older one. A join waits in
 * this process's queue alone: a second claim would repeat the sync.
 */
export function pendingSync(trigger: SyncTrigger): { owedSync: PendingSync } {
  const afterMs = trigger === 'join' ? claimMs : graceMs;
  const since = clock.now();
  return { owedSync: { id: newSecret(), trigger, since, dueAt: new Date(since.getTime() + afterMs), attempts: 0 } };
}

/**
 * Completes the pending sync that `member` had when read, but no newer one, in one write with `done`, under the lease
 * with `fence`. Returns false and writes nothing if that sync is no longer pending or the member was synced under a
 * later lease.
 */
export async function completeSync(
  { guildId, chatUserId, owedSync: pendingSync }: Pick<Member, 'guildId' | 'chatUserId' | 'owedSync'>,
  fence: number,
  done: UpdateQuery<Member> = {},
): Promise<boolean> {
  if (pendingSync === undefined) return false;
  const owing = { guildId, chatUserId, 'owedSync.id': pendingSync.id, ...syncedUpTo(fence) };
  const change = { ...done, $unset: { ...done.$unset, owedSync: 1 } };
  return updateOneDirectly(Members.acrossGuilds, owing, change);
}

/** Completes the pending syncs with this id, since these people are in step. */
export async function completeSyncs(guildId: string, chatUserIds: readonly string[], id: string): Promise<void> {
  if (chatUserIds.length === 0) return;
  await Members.acrossGuilds
    .updateMany(
      { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), 'owedSync.id': id },
      { $unset: { owedSync: 1 } },
    )
    .hint({ guildId: 1, chatUserId: 1 });
}

/** Enqueues syncs for the members here. Pending syncs stay unchanged. */
export async function enqueueSyncs(guildId: string, chatUserIds: readonly string[]): Promise<void> {
  if (chatUserIds.length === 0) return;
  const free = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), owedSync: trusted({ $exists: false }) };
  await Members.acrossGuilds.updateMany(free, { $set: pendingSync('resync') }).hint(memberIndexes.chatUserId);
}

/** Enqueues syncs for the members here that still differ. Pending syncs stay unchanged. */
export async function enqueueDiffering(guildId: string, chatUserIds: readonly string[]): Promise<void> {
  const free = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), owedSync: trusted({ $exists: false }) };
  await Members.acrossGuilds
    .updateMany({ ...free, differs: true }, { $set: pendingSync('resync') })
    .hint(memberIndexes.chatUserId);
}

/**
 * Postpones a sync that is currently impossible, in a guild that is suspended or without the bot. It counts as no
 * failure.
 */
export async function restSync(guildId: string, chatUserId: string): Promise<void> {
  const dueAt = new Date(clock.epochMs() + retries.longestMs);
  const owing = { guildId, chatUserId, owedSync: trusted({ $exists: true }) };
  await Members.update(owing, { $set: { 'owedSync.dueAt': dueAt } });
}

/** Makes a guild's pending syncs due now, including postponed ones. */
export async function makeSyncsDueNow(guildId: string): Promise<void> {
  const now = clock.now();
  const later = { guildId, 'owedSync.dueAt': trusted({ $gt: now }) };
  await inSteps(Members.acrossGuilds, later, { guildId: 1, chatUserId: 1 }, (some) =>
    Members.acrossGuilds
      .updateMany(some, { $set: { 'owedSync.dueAt': now } })
      .hint({ _id: 1 })
      .exec(),
  );
}

/** Claims the longest due sync in the next guild that has one, without those in `except`. */
export const claimDueSync = (except: readonly string[] = []) => syncs.claimNext({ except });

/** Claims a sync that is due, or soon will be; false if it is completed, or claimed by another process. */
export async function claimSync({ guildId, chatUserId }: MemberKey): Promise<boolean> {
  return (await syncs.claim({ guildId, chatUserId }, graceMs)) !== null;
}

/** Extends the claims of joins that wait in this process's queue; a sync with another trigger has its own claim. */
export async function renewJoinClaims(guildId: string, chatUserIds: readonly string[]): Promise<void> {
  const now = clock.epochMs();
  const waiting = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), 'owedSync.trigger': 'join' as const };
  await Members.acrossGuilds
    .updateMany(
      { ...waiting, 'owedSync.dueAt': trusted({ $gt: new Date(now) }) },
      { $set: { 'owedSync.dueAt': new Date(now + claimMs) } },
    )
    .hint(memberIndexes.chatUserId);
}

/** All guilds' pending syncs: how many, how many are due, and since when. */
export async function countPendingSyncs(now: Date): Promise<{ owed: number; due: number; oldestDueAt: Date | null }> {
  const there = { 'owedSync.dueAt': trusted({ $exists: true }) };
  const due = { $sum: { $cond: [{ $lte: ['$owedSync.dueAt', now] }, 1, 0] } };
  const oldest = { $min: '$owedSync.dueAt' };
  const [counted] = await Members.acrossGuilds
    .aggregate<{ owed: number; due: number; oldest: Date }>([
      { $match: there },
      { $group: { _id: null, owed: { $sum: 1 }, due, oldest } },
    ])
    .hint(memberIndexes.dueAt);
  if (counted === undefined) return { owed: 0, due: 0, oldestDueAt: null };
  return { owed: counted.owed, due: counted.due, oldestDueAt: counted.due === 0 ? null : counted.oldest };
}
