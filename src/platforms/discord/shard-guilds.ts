import { container } from '@sapphire/framework';
import { type Guild, Status } from 'discord.js';

/** The servers listed by Discord when each shard's session starts. */
const listed = new Map<number, readonly string[]>();

/**
 * Notes the servers with which a shard's session begins; each one is sent afterwards. The bot was removed from the
 * shard's other servers between two sessions. discord.js would keep those in its cache, and so report no return to
 * them.
 */
export function listGuilds(shardId: number, guildIds: readonly string[]): void {
  listed.set(shardId, guildIds);
  const there = new Set(guildIds);
  forgetGuilds((known) => known.shardId === shardId && !there.has(known.id));
}

/** Removes servers from the cache whose changes this process does not hear. */
export function forgetGuilds(isUnheard: (guild: Guild) => boolean): void {
  const { guilds, channels } = container.client;
  for (const guild of guilds.cache.filter(isUnheard).values()) {
    for (const channelId of guild.channels.cache.keys()) channels.cache.delete(channelId);
    guilds.cache.delete(guild.id);
  }
}

/** The servers from the start of a shard's session that have been sent since, in their current state. */
export function guildsOfSession(shardId: number): Guild[] {
  const { cache } = container.client.guilds;
  return (listed.get(shardId) ?? []).flatMap((id) => cache.get(id) ?? []).filter(({ available }) => available);
}

/** Whether a reported server arrives alone: when a session starts, all servers in its shard arrive. */
export const comesAlone = ({ shard }: Guild): boolean => shard.status === Status.Ready;
