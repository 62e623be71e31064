import mongoose from 'mongoose';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError, RateLimited } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import type { RefusalCode } from '../../lib/refusal-codes.js';
import { hourMs } from '../../lib/time.js';
import type { UniqueIndex } from '../../platforms/database/data-replacement.js';

/** Limits in addition to the general one, for scarce resources (API-31). */
export type ScarceLimitName =
  | 'verification'
  | 'guild_resync'
  | 'invitation'
  | 'people_search'
  | 'group_search'
  | 'replay'
  | GuessLimitName;

/** Limits for wrong codes from a game: per token, and for a guild's tokens together. */
type GuessLimitName = 'code_guess' | 'code_guess_of_guild';

/**
 * Limits that replace the general one for frequent legitimate callers. These are probes, the billing provider with few
 * addresses for all events, reads by a guild's tokens, their verifications, for example at a launch, and the facts from
 * all servers of a game.
 */
type FrequentLimitName = 'probes' | 'metrics' | 'provider' | 'token_reads' | 'verification_by_tokens' | 'facts';

export type RateLimitName = ScarceLimitName | FrequentLimitName;

/** The remaining part of the limit closest to its end: for an answer's `RateLimit-*` headers. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

const collection = 'rate_limits';
/** Each counter builds this index on the counters in the database. */
export const rateLimitIndex: UniqueIndex = { collection, keys: { key: 1 }, options: { unique: true } };
const longestWindowMs = hourMs;

export interface RateLimits {
  /**
   * Counts one request of `principal` (a person, a guild's tokens or an address) against the general limit and, if
   * named, a second one. Throws RateLimited; calls `note` with the state in both cases.
   */
  consume(principal: string, name: RateLimitName | undefined, note: (state: RateLimitState) => void): Promise<void>;
  /**
   * Counts against a scarce limit alone, for a request whose need for it is found only while it is served. Throws
   * RateLimited.
   */
  spend(principal: string, name: ScarceLimitName, note: (state: RateLimitState) => void): Promise<GiveBack>;
  /**
   * Runs work that may be a wrong guess, refused with `wrong`. Only wrong guesses count, against each limit on the
   * principal. Running guesses count too, so that parallel ones gain nothing. Throws RateLimited before `work`.
   */
  guess<T>(
    guesser: Readonly<Record<GuessLimitName, string>>,
    note: (state: RateLimitState) => void,
    work: () => Promise<T>,
    wrong: RefusalCode,
  ): Promise<T>;
}

/** Counts a request no longer: it did not do what the limit is for. */
export type GiveBack = () => Promise<void>;

/** `points` requests in `duration` seconds. */
interface RateLimit {
  points: number;
  duration: number;
}

/** Per person, in this process. */
const generalLimit: RateLimit = { points: 120, duration: 60 };

/**
 * The limits in API-30. The general one (120 a minute) protects this process and is counted in memory. The scarce ones
 * are counted in the database, so they hold across processes and restarts.
 */
export async function createRateLimits(generally: RateLimit = generalLimit): Promise<RateLimits> {
  const general = new RateLimiterMemory(generally);
  const frequent: Record<FrequentLimitName, RateLimiterMemory> = {
    probes: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'probes' }),
    metrics: new RateLimiterMemory({ points: 60, duration: 60, keyPrefix: 'metrics' }),
    provider: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'provider' }),
    verification_by_tokens: new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: 'verification_by_tokens' }),
    token_reads: new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: 'token_reads' }),
    facts: new RateLimiterMemory({ points: 300, duration: 60, keyPrefix: 'facts' }),
  };
  const scarce: Record<ScarceLimitName, RateLimiterMongo> = {
    verification: inDatabase('verification'),
    guild_resync: inDatabase('guild_resync'),
    invitation: inDatabase('invitation'),
    people_search: inDatabase('people_search'),
    group_search: inDatabase('group_search'),
    replay: inDatabase('replay'),
    code_guess: inDatabase('code_guess'),
    code_guess_of_guild: inDatabase('code_guess_of_guild'),
  };
  // All use one collection.
  await scarce.verification.createIndexes();
  return {
    async consume(principal, name, note) {
      const instead = isFrequent(name) ? frequent[name] : general;
      const left = await take(instead, principal, note);
      if (name === undefined || isFrequent(name)) return;
      await take(scarce[name], principal, (state) => note(state.remaining < left.remaining ? state : left));
    },
    async spend(principal, name, note) {
      await take(scarce[name], principal, note);
      return () => giveBack([[scarce[name], principal]]);
    },
    async guess(guesser, note, work, wrong) {
      const counted = guessLimits.map((name) => [scarce[name], guesser[name]] as const);
      for (const [limiter, principal] of counted) await take(limiter, principal, note);
      let isWrong = false;
      try {
        return await work();
      } catch (error) {
        isWrong = error instanceof AppError && error.code === wrong;
        throw error;
      } finally {
        if (!isWrong) await giveBack(counted);
      }
    },
  };
}

/** Counts requests no longer. A failure leaves them counted: the request's answer is worth more. */
async function giveBack(counted: readonly (readonly [RateLimiterMongo, string])[]): Promise<void> {
  try {
    await Promise.all(counted.map(([limiter, principal]) => limiter.reward(principal)));
  } catch (err) {
    logger.warn({ err }, 'request not given back to its limit');
  }
}

const isFrequent = (name: RateLimitName | undefined): name is FrequentLimitName =>
  name === 'probes' ||
  name === 'metrics' ||
  name === 'provider' ||
  name === 'token_reads' ||
  name === 'verification_by_tokens' ||
  name === 'facts';

const guessLimits: readonly GuessLimitName[] = ['code_guess', 'code_guess_of_guild'];

const scarceLimits: Readonly<Record<ScarceLimitName, RateLimit>> = {
  verification: { points: 10, duration: 60 },
  guild_resync: { points: 6, duration: 60 * 60 },
  // Each one messages a stranger, and Discord treats a bot that messages many as spam.
  invitation: { points: 30, duration: 60 * 60 },
  // Each one is a search on Discord, with a limit shared by the whole server.
  people_search: { points: 30, duration: 60 },
  // Each one is a search on Roblox, whose limit all servers share.
  group_search: { points: 30, duration: 60 },
  // Each one may send 10,000 requests to somebody's machine.
  replay: { points: 6, duration: 60 * 60 },
  // There are 191 million codes, most unused; a hit only makes a claim.
  code_guess: { points: 20, duration: 60 },
  code_guess_of_guild: { points: 60, duration: 60 },
};

/** Counts a person's action in Discord against the API's scarce limit. Throws RateLimited. */
export async function spendInDiscord(chatUserId: string, name: ScarceLimitName): Promise<void> {
  await take(inDatabase(name), `user:${chatUserId}`, () => undefined);
}

/** Counts a person's command, press, choice or form, with the same limit as API requests. Throws RateLimited. */
export async function countInDiscord(chatUserId: string): Promise<void> {
  await take(inDiscord, chatUserId, () => undefined);
}

/** Each person's actions in Discord, as counted by this process. */
export const inDiscord = new RateLimiterMemory({ ...generalLimit, keyPrefix: 'discord' });

function inDatabase(name: ScarceLimitName): RateLimiterMongo {
  return new RateLimiterMongo({
    storeClient: mongoose.connection.getClient(),
    dbName: mongoose.connection.name,
    tableName: collection,
    disableIndexesCreation: true,
    keyPrefix: name,
    ...scarceLimits[name],
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
 * Removes expired counters (the embedded database has no TTL indexes). Also removes counters that end later than any
 * limit lasts: the clock was set back, and they would block people for that long.
 */
export async function purgeRateLimits(now: Date): Promise<void> {
  const latest = new Date(now.getTime() + longestWindowMs);
  const over = { $or: [{ expire: { $lt: now } }, { expire: { $gt: latest } }] };
  await mongoose.connection.collection(collection).deleteMany(over);
}
