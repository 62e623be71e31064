import { trusted } from 'mongoose';
import { config } from '../config.js';
import { type Guild, GuildRecord } from './guild-model.js';

export type { Guild } from './guild-model.js';

/** What Discord says of a guild. */
export type GuildProfile = Pick<Guild, '_id' | 'name' | 'iconUrl' | 'ownerId' | 'memberCount'>;

/** Keeps what Discord says of a guild that the bot is in; one that is new, or that it returned to, is there again. */
export async function keepGuild(profile: GuildProfile): Promise<void> {
  const { _id, ...facts } = profile;
  await GuildRecord.updateOne(
    { _id },
    {
      $set: { ...facts, present: true },
      $setOnInsert: { plan: config().defaultPlan, state: 'active', joinedAt: new Date() },
    },
    { upsert: true },
  );
}

/** The bot was removed from a guild: it is not shown any more, and its data is kept for a return. */
export async function leaveGuild(guildId: string): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId }, { $set: { present: false } });
}

/**
 * The guilds of these shards that are not among `guildIds` any more: the bot was removed while nobody was connected.
 * A guild's shard is `(id >> 22) % shardCount`, as Discord says.
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

/** The guilds among `guildIds` that the bot is in, and those that `ownerId` owns; by id. */
export function findGuilds(guildIds: readonly string[], ownerId: string | null): Promise<Guild[]> {
  const among = { _id: trusted({ $in: [...guildIds] }) };
  return GuildRecord.find({ present: true, $or: ownerId === null ? [among] : [among, { ownerId }] })
    .sort({ _id: 1 })
    .lean<Guild[]>()
    .exec();
}

/** All guilds that the bot is in, a page at a time by id: for a platform token's GET /api/guilds. */
export function pageOfGuilds(after: string, limit: number): Promise<Guild[]> {
  return GuildRecord.find({ present: true, _id: trusted({ $gt: after }) })
    .sort({ _id: 1 })
    .limit(limit)
    .lean<Guild[]>()
    .exec();
}
