import mongoose from 'mongoose';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError, RateLimited } from '../../lib/errors.js';
import type { RefusalCode } from '../../lib/refusal-codes.js';
import { hourMs } from '../../lib/time.js';
import type { UniqueIndex } from '../../platforms/database/data-replacement.js';

/** Limits beside the general one, for what is scarce (API-31). */
export type ScarceLimitName = 'verification' | 'guild_resync' | 'invitation' | 'people_search' | GuessLimitName;

/** Of wrong codes from a game: by one token, and by all tokens of a guild. */
type GuessLimitName = 'code_guess' | 'code_guess_of_guild';

/**
 * What stands instead of the general limit for those who ask often and must not be told off: what watches the service,
 * the billing provider, all of whose events come from a few addresses, what the tokens of a guild read, and their
 * verifications, as they verify everybody at its launch.
 */
type FrequentLimitName = 'probes' | 'provider' | 'token_reads' | 'verification_by_tokens';

export type RateLimitName = ScarceLimitName | FrequentLimitName;

/** How much is left of the limit that is nearest to its end: for the `RateLimit-*` headers of an answer. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

const collection = 'rate_limits';
/** Each counter builds this index of the counters in the database. */
export const rateLimitIndex: UniqueIndex = { collection, keys: { key: 1 }, options: { unique: true } };
/** The longest of the limits below. */
const longestWindowMs = hourMs;

export interface RateLimits {
  /**
   * Counts one request of `principal` (a person, the tokens of a guild or an address) against the general limit and,
   * where named, a second one. Throws RateLimited; calls `note` with the state either way.
   */
  consume(principal: string, name: RateLimitName | undefined, note: (state: RateLimitState) => void): Promise<void>;
  /** The same against a scarce limit alone, for a request that turns out to use it up only when it is served. */
  spend(principal: string, name: ScarceLimitName, note: (state: RateLimitState) => void): Promise<void>;
  /**
   * Does what may turn out to be a wrong guess, refused with `wrong`: only those count, against each limit of its
   * principal. All that are under way count, too, so that many at once guess no more. Throws RateLimited before `work`.
   */
  guess<T>(
    guesser: Readonly<Record<GuessLimitName, string>>,
    note: (state: RateLimitState) => void,
    work: () => Promise<T>,
    wrong: RefusalCode,
  ): Promise<T>;
}

/** `points` requests in `duration` seconds. */
interface RateLimit {
  points: number;
  duration: number;
}

/** Of one person, in this process. */
const generalLimit: RateLimit = { points: 120, duration: 60 };

/**
 * The limits of API-30. The general one (120 a minute) protects this process and is counted in it; the scarce ones
 * are counted in the database, so that they hold across processes and restarts.
 */
export async function createRateLimits(generally: RateLimit = generalLimit): Promise<RateLimits> {
  const general = new RateLimiterMemory(generally);
  const frequent: Record<FrequentLimitName, RateLimiterMemory> = {
    probes: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'probes' }),
    provider: new RateLimiterMemory({ points: 6_000, duration: 60, keyPrefix: 'provider' }),
    verification_by_tokens: new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: 'verification_by_tokens' }),
    token_reads: new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: 'token_reads' }),
  };
  const scarce: Record<ScarceLimitName, RateLimiterMongo> = {
    verification: inDatabase('verification'),
    guild_resync: inDatabase('guild_resync'),
    invitation: inDatabase('invitation'),
    people_search: inDatabase('people_search'),
    code_guess: inDatabase('code_guess'),
    code_guess_of_guild: inDatabase('code_guess_of_guild'),
  };
  // All of them count in one collection.
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
    },
    async guess(guesser, note, work, wrong) {
      const counted = guessLimits.map((name) => [scarce[name], guesser[name]] as const);
      for (const [limiter, principal] of counted) await take(limiter, principal, note);
      const giveBack = () => Promise.all(counted.map(([limiter, principal]) => limiter.reward(principal)));
      try {
        const result = await work();
        await giveBack();
        return result;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== wrong) await giveBack();
        throw error;
      }
    },
  };
}

const isFrequent = (name: RateLimitName | undefined): name is FrequentLimitName =>
  name === 'probes' || name === 'provider' || name === 'token_reads' || name === 'verification_by_tokens';

const guessLimits: readonly GuessLimitName[] = ['code_guess', 'code_guess_of_guild'];

/** What is scarce. */
const scarceLimits: Readonly<Record<ScarceLimitName, RateLimit>> = {
  verification: { points: 10, duration: 60 },
  guild_resync: { points: 6, duration: 60 * 60 },
  // Each writes to a stranger, and Discord takes a bot that writes to many for a nuisance.
  invitation: { points: 30, duration: 60 * 60 },
  // Each is a search on Discord, whose limit all of the server share.
  people_search: { points: 30, duration: 60 },
  // Of 191 million codes, most of which nobody has; whoever hits one has only made a claim.
  code_guess: { points: 20, duration: 60 },
  code_guess_of_guild: { points: 60, duration: 60 },
};

/** Counts what a person does in Discord against the same scarce limit as over the API. Throws RateLimited. */
export async function spendInDiscord(chatUserId: string, name: ScarceLimitName): Promise<void> {
  await take(inDatabase(name), `user:${chatUserId}`, () => undefined);
}

/** Counts a command, a press, a choice or a form of a person: as many as requests over the API. Throws RateLimited. */
export async function countInDiscord(chatUserId: string): Promise<void> {
  await take(inDiscord, chatUserId, () => undefined);
}

/** What each person has done in Discord, as this process counts it. */
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
 * Removes counters that are over (the embedded database has no TTL indexes), and those that end later than any limit
 * lasts: the clock was set back since, and would hold people back for that long.
 */
export async function purgeRateLimits(now: Date): Promise<void> {
  const latest = new Date(now.getTime() + longestWindowMs);
  const over = { $or: [{ expire: { $lt: now } }, { expire: { $gt: latest } }] };
  await mongoose.connection.collection(collection).deleteMany(over);
}
