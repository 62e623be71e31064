import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';

/** Interval at which a process checks for work that others stored for its guilds. */
export const ownShareEveryMs = 2_000;
/** Longer than a process takes to find work stored for its guilds. */
const othersWaitMs = 15_000;

/** The shard for a guild's events (Discord's documentation on sharding). */
export function shardOf(guildId: string, shardCount: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shardCount));
}

/**
 * Whether this process has the guild's shard: it knows the guild from the gateway, and other processes read it from
 * Discord each time.
 */
export function isOfThisProcess(guildId: string): boolean {
  const { shards } = config();
  if (shards === undefined) return true;
  const shard = shardOf(guildId, shards.total);
  return shard >= shards.first && shard <= shards.last;
}

/**
 * Whether this process should do a guild's work that has waited since `since`. The guild's own process comes first;
 * after 15 s any process may, since that one may be gone.
 */
export function isForThisProcess(guildId: string, since: Date): boolean {
  return isOfThisProcess(guildId) || clock.epochMs() - since.getTime() >= othersWaitMs;
}

/** Whether several processes share the bot. A single process finds all work when it is stored. */
export const sharesBot = (): boolean => config().shards !== undefined;
