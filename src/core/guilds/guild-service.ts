import { trusted } from 'mongoose';
import { config } from '../../config.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import type { GuildProfile } from '../../platforms/discord/guild-profile.js';
import { newEvent, pushEvent } from '../../platforms/events/outbox.js';
import { type ErasedPerson, systemActor } from '../actors/actor.js';
import { recordAudit } from '../audit/audit-service.js';
import type { PlanName } from '../plans/plans.js';
import { type Guild, GuildRecord, withPlan } from './guild-model.js';

export type { Guild } from './guild-model.js';

/**
 * Stores what Discord says about a guild that the bot is in. A guild that is new or has the bot back is present again.
 */
export async function keepGuild(profile: GuildProfile): Promise<void> {
  const { _id, ...facts } = profile;
  const before = await GuildRecord.findOneAndUpdate(
    { _id },
    {
      $set: { ...facts, searchName: facts.name.toLowerCase(), present: true },
      $setOnInsert: { state: 'active', joinedAt: clock.now() },
    },
    { upsert: true, returnDocument: 'before' },
  ).lean<Guild | null>();
  if (before?.present !== true) await recordPresence(profile, 'guild.joined');
}

/** The bot was removed from a guild. The guild is no longer shown, and its data is kept in case the bot returns. */
export async function leaveGuild(guildId: string): Promise<void> {
  const left = await GuildRecord.findOneAndUpdate({ _id: guildId, present: true }, { $set: { present: false } });
  if (left !== null) await recordPresence(left, 'guild.left');
}

/** Discord doesn't say who added or removed the bot. */
function recordPresence({ _id: id, name }: Pick<Guild, '_id' | 'name'>, action: 'guild.joined' | 'guild.left') {
  return recordAudit({ guildId: id, actor: systemActor('discord'), action, target: { kind: 'guild', id, name } });
}

/**
 * The guilds of these shards that are not among `guildIds` any more: the bot was removed while no process was
 * connected. A guild's shard is `(id >> 22) % shardCount` (Discord's documentation on sharding).
 */
export async function leaveOtherGuilds(
  guildIds: readonly string[],
  shards: readonly number[],
  shardCount: number,
): Promise<void> {
  const gone = GuildRecord.find({ present: true, _id: trusted({ $nin: [...guildIds] }) }, { _id: 1 }).lean<Guild>();
  for await (const { _id } of gone.cursor()) {
    const shard = Number((BigInt(_id) >> 22n) % BigInt(shardCount));
    if (shards.includes(shard)) await leaveGuild(_id);
  }
}

/** The guild with this id if the bot is in it, else null. */
export function findPresentGuild(guildId: string): Promise<Guild | null> {
  return GuildRecord.findOne({ _id: guildId, present: true }).lean<Guild | null>().exec();
}

/** The guild with this id, also when the bot has left it; null when the bot never was in it. */
export function findGuild(guildId: string): Promise<Guild | null> {
  return GuildRecord.findById(guildId).lean<Guild | null>().exec();
}

/**
 * Suspends a guild (SPEC §5) and stores the event for its webhooks in the same write. Everything that acts in a guild
 * reads its state first, so the suspension holds everywhere at once. Throws NotFound `guild_not_found`, Conflict
 * `already_suspended`.
 */
export async function suspendGuild(guildId: string, reason: string, by: string): Promise<Guild> {
  const at = clock.now();
  const suspended = await GuildRecord.findOneAndUpdate(
    { _id: guildId, state: 'active' },
    {
      $set: { state: 'suspended', suspension: { reason, at, by } },
      $unset: { catchUpSince: 1 },
      ...pushEvent(newEvent('guild.suspended', guildId, { reason, suspendedAt: at.toISOString() })),
    },
    { returnDocument: 'after' },
  ).lean<Guild | null>();
  return suspended ?? refuse(guildId, 'already_suspended', 'This guild is suspended already.');
}

/**
 * Makes a suspended guild active again and notes since when it has to catch up (`catchUpSince`). Returns the guild as
 * it was before. Throws NotFound `guild_not_found`, Conflict `not_suspended`.
 */
export async function unsuspendGuild(guildId: string): Promise<Guild> {
  const before = await GuildRecord.findOneAndUpdate(
    { _id: guildId, state: 'suspended' },
    { $set: { state: 'active', catchUpSince: clock.now() }, $unset: { suspension: 1 } },
    { returnDocument: 'before' },
  ).lean<Guild | null>();
  return before ?? refuse(guildId, 'not_suspended', 'This guild is not suspended.');
}

async function refuse(guildId: string, code: string, message: string): Promise<never> {
  if ((await findGuild(guildId)) === null) throw new NotFound('guild_not_found', 'There is no such guild.');
  throw new Conflict(code, message);
}

/** Replaces an erased platform admin by their pseudonym. Their suspensions stay. */
export async function eraseSuspender({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const theirs = { state: 'suspended' as const, 'suspension.by': chatUserId };
  await GuildRecord.updateMany(theirs, { $set: { 'suspension.by': pseudonym } });
}

/** The guilds that still have to catch up after a suspension, and since when they are active again. */
export function findGuildsToCatchUp(): Promise<Pick<Guild, '_id' | 'catchUpSince'>[]> {
  return GuildRecord.find({ catchUpSince: trusted({ $exists: true }) }, { catchUpSince: 1 })
    .lean<Pick<Guild, '_id' | 'catchUpSince'>[]>()
    .exec();
}

/** Notes that a guild has caught up, unless it was suspended and restored again meanwhile. */
export async function noteCaughtUp({ _id, catchUpSince }: Pick<Guild, '_id' | 'catchUpSince'>): Promise<void> {
  if (catchUpSince !== undefined) await GuildRecord.updateOne({ _id, catchUpSince }, { $unset: { catchUpSince: 1 } });
}

/** The plan that is in force in a guild. */
export async function planOf(guildId: string): Promise<PlanName> {
  const found = await GuildRecord.findOne({ _id: guildId }, { plan: 1 }).lean<Pick<Guild, 'plan'> | null>();
  return found?.plan ?? config().defaultPlan;
}

/**
 * Stores the plan that is paid for in a guild; null: none is. @returns the plan that was in force before; undefined when
 * the same was stored already, or the guild doesn't exist.
 */
export async function changePlan(guildId: string, paid: PlanName | null): Promise<PlanName | undefined> {
  const other = { _id: guildId, plan: trusted(paid === null ? { $exists: true } : { $ne: paid }) };
  const change = paid === null ? { $unset: { plan: 1 as const } } : { $set: { plan: paid } };
  const before = await GuildRecord.findOneAndUpdate(other, change).lean<Guild | null>();
  return before?.plan;
}

/** The ids of the guilds in which a plan is stored. */
export async function guildsWithOwnPlan(): Promise<string[]> {
  const found = await GuildRecord.find({ plan: trusted({ $exists: true }) }, { _id: 1 }).lean<Pick<Guild, '_id'>[]>();
  return found.map(({ _id }) => _id);
}

/** The guilds among `guildIds` that the bot is in, and those that `ownerId` owns; by id. */
export function findGuilds(guildIds: readonly string[], ownerId: string | null): Promise<Guild[]> {
  const among = { _id: trusted({ $in: [...guildIds] }) };
  return GuildRecord.find({ present: true, $or: ownerId === null ? [among] : [among, { ownerId }] })
    .sort({ _id: 1 })
    .lean<Guild[]>()
    .exec();
}

/** The guilds that a person owns on Discord, including those that the bot has left. */
export function guildsOwnedBy(chatUserId: string): AsyncIterable<Guild> {
  return GuildRecord.find({ ownerId: chatUserId }).sort({ present: 1, _id: 1 }).lean<Guild>().cursor().map(withPlan);
}

/** All guilds that the bot is in, a page at a time by id: for a platform token's GET /api/guilds. */
export function pageOfGuilds(after: string, limit: number): Promise<Guild[]> {
  return GuildRecord.find({ present: true, _id: trusted({ $gt: after }) })
    .sort({ _id: 1 })
    .hint({ _id: 1 })
    .limit(limit)
    .lean<Guild[]>()
    .exec();
}

/** Every guild that the bot is or was in, with its plan. */
export function allGuildPlans(): AsyncIterable<Pick<Guild, '_id' | 'plan'>> {
  return GuildRecord.find({}, { plan: 1 }).lean<Pick<Guild, '_id' | 'plan'>>().cursor().map(withPlan);
}

/** Every guild that the bot is in and that is not suspended, with its plan. */
export function activeGuildPlans(): AsyncIterable<Pick<Guild, '_id' | 'plan'>> {
  return GuildRecord.find({ present: true, state: 'active' }, { plan: 1 })
    .hint({ present: 1, state: 1, plan: 1 })
    .lean<Pick<Guild, '_id' | 'plan'>>()
    .cursor()
    .map(withPlan);
}
