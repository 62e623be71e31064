import { container } from '@sapphire/framework';
import { type Guild, Status } from 'discord.js';

/** The servers that Discord listed at the start of each shard's session. */
const listed = new Map<number, readonly string[]>();

/**
 * A session of a shard begins with these servers; each is told of then. From the others of its shard the bot was removed
 * between two sessions. discord.js would keep them in its cache, and so tell of no return to one of them.
 */
export function listGuilds(shardId: number, guildIds: readonly string[]): void {
  listed.set(shardId, guildIds);
  const there = new Set(guildIds);
  const { guilds, channels } = container.client;
  for (const guild of guilds.cache.filter((known) => known.shardId === shardId && !there.has(known.id)).values()) {
    for (const channelId of guild.channels.cache.keys()) channels.cache.delete(channelId);
    guilds.cache.delete(guild.id);
  }
}

/** The servers with which the session of a shard began and that it has told of, as they are now. */
export function guildsOfSession(shardId: number): Guild[] {
  const { cache } = container.client.guilds;
  return (listed.get(shardId) ?? []).flatMap((id) => cache.get(id) ?? []).filter(({ available }) => available);
}

/** Whether a server that is told of comes by itself: at the start of a session all of its shard come. */
export const comesAlone = ({ shard }: Guild): boolean => shard.status === Status.Ready;
