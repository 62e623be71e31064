import { trusted, type UpdateQuery } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { Signal } from '../../lib/signal.js';
import { hourMs, minuteMs } from '../../lib/time.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import type { GuildMember } from '../../platforms/discord/guild-members.js';
import { type Member, Members, memberIndexes, syncedUpTo } from './member-model.js';
import type { OwedSync, SyncTrigger } from './member-sync-fields.js';

/** Time for whoever makes the change to run the sync themselves before the job takes it up. */
const graceMs = 5_000;
/** Longer than a sync takes: no other process takes it up meanwhile. */
export const claimMs = minuteMs;
/** The longest time between two tries of a sync that is owed. */
export const longestRetryMs = hourMs;

type Debtor = Pick<Member, 'guildId' | 'chatUserId'>;
const syncOwed = new Signal<[member: Debtor, trigger: SyncTrigger, told?: GuildMember]>();

/**
 * Calls `listener` when a member is owed a sync that should run soon. It must not throw: the debt is stored already.
 * @returns a function that ends the calls.
 */
export const onSyncOwed = syncOwed.on;

/** Says that a sync which is owed by now should run soon; `told`: the member as the gateway has just told of them. */
export function announceSync({ guildId, chatUserId }: Debtor, trigger: SyncTrigger, told?: GuildMember): void {
  syncOwed.emit({ guildId, chatUserId }, trigger, told);
}

/**
 * A new debt: put it into the very write (`$set`) that makes a sync of the member necessary. It replaces an older one.
 * Who joins waits in the queue of this process alone: a debt that fell due meanwhile would be paid twice.
 */
export function owedSync(trigger: SyncTrigger): { owedSync: OwedSync } {
  const afterMs = trigger === 'join' ? claimMs : graceMs;
  return { owedSync: { id: newSecret(), trigger, dueAt: new Date(clock.epochMs() + afterMs), attempts: 0 } };
}

/**
 * A sync is done that was planned from `member` as read, under the lease with `fence`: pays what it was owed then, and
 * nothing newer, in one write with `done`. Answers false, with nothing written, when that is not owed any more, or
 * somebody has synced the member under a later lease.
 */
export async function paySync(
  { guildId, chatUserId, owedSync }: Pick<Member, 'guildId' | 'chatUserId' | 'owedSync'>,
  fence: number,
  done: UpdateQuery<Member> = {},
): Promise<boolean> {
  if (owedSync === undefined) return false;
  const owing = { guildId, chatUserId, 'owedSync.id': owedSync.id, ...syncedUpTo(fence) };
  return (await Members.update(owing, { ...done, $unset: { ...done.$unset, owedSync: 1 } })) !== null;
}

/** These people are in step: pays the debts with this id that they have. */
export async function paySyncs(guildId: string, chatUserIds: readonly string[], id: string): Promise<void> {
  if (chatUserIds.length === 0) return;
  await Members.acrossGuilds
    .updateMany(
      { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), 'owedSync.id': id },
      { $unset: { owedSync: 1 } },
    )
    .hint({ guildId: 1, chatUserId: 1 });
}

/**
 * Nothing could be decided about these people of a guild, since Roblox did not say anything about their account: owes each
 * a sync, unless one is owed already.
 */
export async function owePutOff(guildId: string, chatUserIds: readonly string[]): Promise<void> {
  if (chatUserIds.length === 0) return;
  const free = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), owedSync: trusted({ $exists: false }) };
  await Members.acrossGuilds.updateMany(free, { $set: owedSync('resync') }).hint(memberIndexes.chatUserId);
}

/** Leaves a sync for later that nobody may do now, in a guild that is suspended or without the bot: no failure. */
export async function restSync(guildId: string, chatUserId: string): Promise<void> {
  const dueAt = new Date(clock.epochMs() + longestRetryMs);
  const owing = { guildId, chatUserId, owedSync: trusted({ $exists: true }) };
  await Members.update(owing, { $set: { 'owedSync.dueAt': dueAt } });
}

/** Whatever syncs the guild's members are owed are due now, those too that were left for later. */
export async function hastenSyncs(guildId: string): Promise<void> {
  const now = clock.now();
  const later = { guildId, 'owedSync.dueAt': trusted({ $gt: now }) };
  await inSteps(Members.acrossGuilds, later, { guildId: 1, chatUserId: 1 }, (some) =>
    Members.acrossGuilds
      .updateMany(some, { $set: { 'owedSync.dueAt': now } })
      .hint({ _id: 1 })
      .exec(),
  );
}

/**
 * Takes up the sync that has been due longest in the next guild that is owed one: guilds take turns in the order of their
 * ids, behind `after` and without those in `except`. No other process takes it up within the next minute.
 */
export function takeDueSync(
  now: Date,
  { after = '', except = [] }: { after?: string; except?: readonly string[] } = {},
): Promise<(Member & { owedSync: OwedSync }) | null> {
  return Members.acrossGuilds
    .findOneAndUpdate(
      { guildId: trusted({ $gt: after, $nin: [...except] }), 'owedSync.dueAt': trusted({ $lte: now }) },
      { $set: { 'owedSync.dueAt': new Date(now.getTime() + claimMs) } },
      { sort: { guildId: 1, 'owedSync.dueAt': 1 }, hint: memberIndexes.dueAt, returnDocument: 'before' },
    )
    .lean<(Member & { owedSync: OwedSync }) | null>()
    .exec();
}

/** Takes up a sync that is or would soon be due; false when it is paid, or another process has taken it up. */
export async function claimSync({ guildId, chatUserId }: Debtor): Promise<boolean> {
  const now = clock.epochMs();
  const soon = { guildId, chatUserId, 'owedSync.dueAt': trusted({ $lte: new Date(now + graceMs) }) };
  return (await Members.update(soon, { $set: { 'owedSync.dueAt': new Date(now + claimMs) } })) !== null;
}

/** The syncs that members of all guilds are owed: how many, how many of them are due, and since when. */
export async function countOwedSyncs(now: Date): Promise<{ owed: number; due: number; oldestDueAt: Date | null }> {
  const dueBy = (at: object) => ({ 'owedSync.dueAt': trusted(at) });
  const [owed, due, oldest] = await Promise.all([
    Members.acrossGuilds.countDocuments(dueBy({ $exists: true })),
    Members.acrossGuilds.countDocuments(dueBy({ $lte: now })),
    Members.acrossGuilds
      .findOne(dueBy({ $lte: now }), { owedSync: 1 })
      .sort({ 'owedSync.dueAt': 1 })
      .lean(),
  ]);
  return { owed, due, oldestDueAt: oldest?.owedSync?.dueAt ?? null };
}
