import { container } from '@sapphire/framework';
// Not from '@discordjs/rest': for ES modules that is a second copy with error classes that discord.js never throws.
import { DiscordAPIError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import type { z } from 'zod';
import { AppError, ChatPlatformUnavailable, ChatPlatformUnreadable } from '../../../lib/errors.js';
import { currentLane } from '../../../lib/lane.js';
import { noteCall } from '../../../lib/last-calls.js';
import { logger } from '../../../lib/logger.js';
import { tooSlow } from './patience.js';
import { type DiscordRest, lanesOf } from './request-lanes.js';

const { InvalidRole } = RESTJSONErrorCodes;

/** Whether Discord's error code means that a thing doesn't exist: 10001 to 10999, for example 10007 for a member. */
const saysUnknown = (code: string | number): boolean => Number(code) > 10_000 && Number(code) < 11_000;

/** Discord refused for a missing permission or the role order (its codes 50001 and 50013). */
export class DiscordForbids extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('missing_permission', message, {}, options);
  }
}

/** The member, guild, role, channel or user no longer exists on Discord. */
export class GoneFromDiscord extends AppError {
  /** `discordCode` is Discord's own code for the missing thing. */
  constructor(
    message: string,
    readonly discordCode?: string | number,
    options?: ErrorOptions,
  ) {
    super('gone_from_discord', message, {}, options);
  }
}

/** The bot is not in the guild, or the token belongs to another application: no statement about the requested thing. */
const isOfNobody = (code: string | number): boolean => code === RESTJSONErrorCodes.MissingAccess;

/**
 * Discord's own words for refusing the request itself, which it would repeat (400, 403); null for any other error. An
 * answer without a Discord code is not a refusal by Discord.
 */
export function refusalWords(error: unknown): string | null {
  const refused = error instanceof DiscordForbids ? error.cause : error;
  if (!(refused instanceof DiscordAPIError) || (refused.status !== 400 && refused.status !== 403)) return null;
  const { code, message } = refused;
  return Number(code) > 0 && !isOfNobody(code) ? message.replaceAll(/\s*\n\s*/gu, ': ').slice(0, longestWords) : null;
}

/** Maximum length of Discord's words, in characters. */
const longestWords = 300;

/**
 * Calls Discord's REST interface with the bot's token, in the running code's lane (see `inLane`). discord.js obeys the
 * rate limits. Throws GoneFromDiscord for a 404 with a known code and for a role list with a missing role (50028).
 * Throws DiscordForbids for a 403. Throws ChatPlatformUnavailable if the outcome is unknown (5xx, time-out, dropped
 * connection), or if a 401 refused the token (see `holdToken`). A 404 from elsewhere is its subclass
 * ChatPlatformUnreadable. HeldBack is a call held back by Discord's ban, or put off for longer than a person waits.
 * Throws the lane signal's reason if that aborts.
 */
export async function callDiscord(call: (rest: DiscordRest) => Promise<unknown>): Promise<unknown> {
  try {
    const answer = await call(lanesOf(container.client.rest).rest);
    noteCall('discord', true);
    return answer;
  } catch (error) {
    if (error instanceof AppError || error === currentLane().signal?.reason) throw error;
    if (error instanceof RateLimitError) throw tooSlow(error.retryAfter);
    noteCall('discord', error instanceof DiscordAPIError && error.status !== 401);
    if (!(error instanceof DiscordAPIError)) throw new ChatPlatformUnavailable(undefined, { cause: error });
    const { code, message } = error;
    if (code === InvalidRole || (error.status === 404 && saysUnknown(code))) {
      throw new GoneFromDiscord(message, code, { cause: error });
    }
    if (error.status === 404) throw new ChatPlatformUnreadable({ cause: error });
    // It proves nothing about the request, and holds only until the token is confirmed.
    if (error.status === 401) throw new ChatPlatformUnavailable(undefined, { cause: error });
    if (error.status === 403) throw new DiscordForbids(error.message, { cause: error });
    throw error;
  }
}

/** Milliseconds for which a guild's calls, but for bulk work, waited for their turn in the last minute. */
export const callWaitOf = (guildId: string): number => lanesOf(container.client.rest).waitOfGuild(guildId);

/**
 * The answer to a call, parsed by `answer`. Throws ChatPlatformUnreadable for an answer that does not fit, and as
 * `callDiscord` does.
 */
export async function readDiscord<T>(answer: z.ZodType<T>, call: (rest: DiscordRest) => Promise<unknown>): Promise<T> {
  return parseAnswer(answer, await callDiscord(call));
}

/** The parsed answer, or null if Discord answers with the error code `absent`, for example 10007 for a member. */
export async function readDiscordOrNull<T>(
  answer: z.ZodType<T>,
  absent: RESTJSONErrorCodes,
  call: (rest: DiscordRest) => Promise<unknown>,
): Promise<T | null> {
  try {
    return await readDiscord(answer, call);
  } catch (error) {
    if (error instanceof GoneFromDiscord && error.discordCode === absent) return null;
    throw error;
  }
}

/** Parses Discord's answer. A mismatch is logged by its path, not by its content. */
export function parseAnswer<T>(answer: z.ZodType<T>, found: unknown): T {
  const { data, error } = answer.safeParse(found);
  if (error === undefined) return data as T;
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
  logger.error({ answer: answer.description, issues }, 'Discord answered in an undocumented format');
  throw new ChatPlatformUnreadable({ cause: error });
}
