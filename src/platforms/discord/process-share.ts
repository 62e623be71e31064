import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';

/** Interval at which a process checks for work that others stored for its guilds. */
export const ownShareEveryMs = 2_000;
/** Longer than a process takes to find work stored for its guilds. */
const othersWaitMs = 15_000;

export interface ShardRange {
  first: number;
  last: number;
  total: number;
}

/** The shards that newer processes have taken over from this one. They may count another total (ENV-95). */
const given: ShardRange[] = [];

/** This process has all shards of its own. */
export function keepAll(): void {
  given.length = 0;
}

/** Leaves these shards to newer processes, for good. */
export function leaveTo(takers: readonly ShardRange[]): void {
  given.push(...takers);
}

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
  return (shards === undefined || covers(shards, guildId)) && !isGivenUp(guildId);
}

/** Whether a newer process has taken the guild over. Without a guild: direct messages, which belong to shard 0. */
export const isGivenUp = (guildId: string | undefined): boolean => given.some((range) => covers(range, guildId));

function covers({ first, last, total }: ShardRange, guildId: string | undefined): boolean {
  const shard = guildId === undefined ? 0 : shardOf(guildId, total);
  return shard >= first && shard <= last;
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
