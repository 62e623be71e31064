import { model } from 'mongoose';
import { z } from 'zod';
import { planName } from '../../core/plans/plans.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** An account with a link, and its last seen ranks. `_id` is its gameUserId. */
const watchedAccountFields = z.strictObject({
  _id: z.string(),
  chatUserId: z.string(),
  /** The guild whose batches include it: the one with the best plan. */
  guildId: z.string(),
  /** All guilds in which it is linked, by the last reading. */
  guildIds: z.array(z.string()),
  plan: planName,
  /**
   * `<groupId>:<gameRoleId>` for each role in a group that any of their guilds names, `<groupId>:-` outside the group.
   */
  held: z.array(z.string()),
  /** Whether all these groups are watched by their role counts. */
  glanced: z.boolean(),
  /**
   * When it was last linked. A reading soon after enqueues a sync, since the ranks used by the link's own sync are
   * unknown.
   */
  linkedAt: z.date(),
  /** When the last full reading began; absent before the first. */
  seenAt: z.date().exactOptional(),
  /** `urgentAt`: something about it has changed. */
  dueAt: z.date(),
});
export type WatchedAccount = z.output<typeof watchedAccountFields>;

/** Due before all others. */
export const urgentAt = new Date(0);

const accountSchema = schemaOf<WatchedAccount>('watched_accounts', watchedAccountFields);
// Finds the due people in a guild's batch.
accountSchema.index({ guildId: 1, dueAt: 1 });
// Finds a role's holders, and people outside a group.
accountSchema.index({ held: 1 });
// Finds a person that joined a guild.
accountSchema.index({ chatUserId: 1 });
// The rank age for a guild's members.
accountSchema.index({ guildIds: 1, seenAt: 1 });
export const WatchedAccounts = model<WatchedAccount>('WatchedAccount', accountSchema);

declareDueTime({ model: WatchedAccounts, field: 'dueAt', hint: { guildId: 1, dueAt: 1 }, longestMs: dayMs });

const watchedGuildFields = z.strictObject({
  _id: z.string(),
  turnAt: z.date(),
  /** Whether more was due than one batch takes: then it continues early when no other guild is due. */
  behind: z.boolean(),
  /** When a process's claim on the batch ends. */
  claimedUntil: z.date(),
});
export type WatchedGuild = z.output<typeof watchedGuildFields>;

const guildSchema = schemaOf<WatchedGuild>('watched_guilds', watchedGuildFields);
// Finds the next batch.
guildSchema.index({ turnAt: 1 });
guildSchema.index({ behind: 1, turnAt: 1 });
export const WatchedGuilds = model<WatchedGuild>('WatchedGuild', guildSchema);
declareDueTime({ model: WatchedGuilds, field: 'turnAt', hint: { turnAt: 1 }, longestMs: dayMs });
declareDueTime({ model: WatchedGuilds, field: 'claimedUntil', hint: { turnAt: 1 }, longestMs: hourMs });

/** A group in a guild's mapping or nickname, with the last state of its log and role counts. */
const watchedGroupFields = z.strictObject({
  _id: z.string(),
  /** The guilds with people made due for it; absent if an older version has stored it. */
  guildIds: z.array(z.string()).exactOptional(),
  /** Whether its role counts are polled, unless its log suffices, since that is cheaper than reading its people. */
  counted: z.boolean(),
  roles: z.array(
    z.strictObject({
      gameRoleId: z.string(),
      rank: z.int(),
      members: z.int(),
      readAt: z.date().exactOptional(),
    }),
  ),
  /** When its log or counts last gave a usable answer; absent if its people are read instead. */
  seenAt: z.date().exactOptional(),
  /** When the group log's newest known line was written; absent if the key can't read it. */
  logUpTo: z.date().exactOptional(),
  /** The log was refused or failed, and is not polled before this time. */
  logFrom: z.date().exactOptional(),
  /** Moved forward by each claim. */
  dueAt: z.date(),
});
export type WatchedGroup = z.output<typeof watchedGroupFields>;

const groupSchema = schemaOf<WatchedGroup>('watched_groups', watchedGroupFields);
// Finds the next group to poll.
groupSchema.index({ dueAt: 1 });
export const WatchedGroups = model<WatchedGroup>('WatchedGroup', groupSchema);
declareDueTime({ model: WatchedGroups, field: 'logFrom', hint: { dueAt: 1 }, longestMs: dayMs });
