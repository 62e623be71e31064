import mongoose from 'mongoose';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimited } from '../../lib/errors.js';
import { hourMs } from '../../lib/time.js';

/** Limits beside the general one, for what is scarce (SPEC §3). */
type ScarceLimitName = 'verification' | 'guild_resync' | 'invitation';

/**
 * What stands instead of the general limit for those who ask often and must not be told off: what watches the service,
 * and the billing provider, all of whose events come from a few addresses.
 */
type FrequentLimitName = 'probes' | 'provider';

export type RateLimitName = ScarceLimitName | FrequentLimitName;

/** How much is left of the limit that is nearest to its end: for the `RateLimit-*` headers of an answer. */
interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

const collection = 'rate_limits';
/** The longest of the limits below. */
const longestWindowMs = hourMs;

export interface RateLimits {
  /**
   * Counts one request of `principal` (a person, a token or an address) against the general limit and, where named,
   * a second one. Throws RateLimited; calls `note` with the state either way.
   */
  consume(principal: string, name: RateLimitName | undefined, note: (state: RateLimitState) => void): Promise<void>;
}

/** `points` requests in `duration` seconds. */
interface RateLimit {
  points: number;
  duration: number;
}

/**
 * The limits of SPEC §3. The general one (120 a minute) protects this process and is counted in it; the scarce ones
 * are counted in the database, so that they hold across processes and restarts.
 */
export async function createRateLimits(generally: RateLimit = { points: 120, duration: 60 }): Promise<RateLimits> {
  const general = new RateLimiterMemory(generally);
  const frequent: Record<FrequentLimitName, RateLimiterMemory> = {
    probes: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'probes' }),
    provider: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'provider' }),
  };
  const scarce: Record<ScarceLimitName, RateLimiterMongo> = {
    verification: inDatabase('verification', { points: 10, duration: 60 }),
    guild_resync: inDatabase('guild_resync', { points: 6, duration: 60 * 60 }),
    // Each writes to a stranger, and Discord takes a bot that writes to many for a nuisance.
    invitation: inDatabase('invitation', { points: 30, duration: 60 * 60 }),
  };
  await Promise.all(Object.values(scarce).map((limiter) => limiter.createIndexes()));
  return {
    async consume(principal, name, note) {
      const isFrequent = name === 'probes' || name === 'provider';
      const left = await take(isFrequent ? frequent[name] : general, principal, note);
      if (name === undefined || isFrequent) return;
      await take(scarce[name], principal, (state) => note(state.remaining < left.remaining ? state : left));
    },
  };
}

function inDatabase(name: ScarceLimitName, limit: RateLimit): RateLimiterMongo {
  return new RateLimiterMongo({
    storeClient: mongoose.connection.getClient(),
    dbName: mongoose.connection.name,
    tableName: collection,
    disableIndexesCreation: true,
    keyPrefix: name,
    ...limit,
  });
}

async function take(
  limiter: RateLimiterMemory | RateLimiterMongo,
  principal: string,
  note: (state: RateLimitState) => void,
): Promise<RateLimitState> {
  const result = await limiter.consume(principal).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  });
  const resetSeconds = Math.ceil(result.msBeforeNext / 1000);
  const state = { limit: limiter.points, remaining: result.remainingPoints, resetSeconds };
  note(state);
  if (result.consumedPoints > limiter.points) {
    throw new RateLimited(resetSeconds, `Too many requests. Try again in ${resetSeconds} s.`);
  }
  return state;
}

/**
 * Removes counters that are over (the embedded database has no TTL indexes), and those that end later than any limit
 * lasts: the clock was set back since, and would hold people back for that long.
 */
export async function purgeRateLimits(now: Date): Promise<void> {
  const latest = new Date(now.getTime() + longestWindowMs);
  const over = { $or: [{ expire: { $lt: now } }, { expire: { $gt: latest } }] };
  await mongoose.connection.collection(collection).deleteMany(over);
}
