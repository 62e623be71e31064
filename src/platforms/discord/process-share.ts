import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';

/** How often a process looks for what others have stored for its guilds. */
const lookEveryMs = 2_000;
/** Longer than a process takes to see what is stored for its guilds. */
const othersWaitMs = 15_000;

/** The shard that a guild's events come by (Discord's documentation on sharding). */
export function shardOf(guildId: string, shardCount: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shardCount));
}

/** Whether this process holds the guild's shard: it knows the guild from the gateway, and others ask Discord each time. */
export function isOfThisProcess(guildId: string): boolean {
  const { shards } = config();
  if (shards === undefined) return true;
  const shard = shardOf(guildId, shards.total);
  return shard >= shards.first && shard <= shards.last;
}

/**
 * Whether work for a guild that has been waiting `since` then is to be done here: its own process has the first go, and
 * after 15 s whoever sees it, since that process may be gone.
 */
export function isForThisProcess(guildId: string, since: Date): boolean {
  return isOfThisProcess(guildId) || clock.epochMs() - since.getTime() >= othersWaitMs;
}

/**
 * Where several processes share the bot, has `look` find what waits for the guilds of this one, every 2 s; gives what
 * ends that. A single process finds everything when it is stored.
 */
export function watchOwnShare(look: () => Promise<void>): () => void {
  if (config().shards === undefined) return () => undefined;
  const timer = setInterval(() => void look(), lookEveryMs);
  return () => clearInterval(timer);
}
