import { container } from '@sapphire/framework';
import { type Guild, Status } from 'discord.js';

/** The servers that Discord listed at the start of each shard's session. Those that it does not list stay in the cache. */
const listed = new Map<number, readonly string[]>();

/** A session of a shard begins with these servers; each is told of then. */
export function listGuilds(shardId: number, guildIds: readonly string[]): void {
  listed.set(shardId, guildIds);
}

/** The servers with which the session of a shard began and that it has told of, as they are now. */
export function guildsOfSession(shardId: number): Guild[] {
  const { cache } = container.client.guilds;
  return (listed.get(shardId) ?? []).flatMap((id) => cache.get(id) ?? []).filter(({ available }) => available);
}

/** Whether a server that is told of comes by itself: at the start of a session all of its shard come. */
export const comesAlone = ({ shard }: Guild): boolean => shard.status === Status.Ready;
