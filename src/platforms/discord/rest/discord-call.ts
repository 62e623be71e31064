import { container } from '@sapphire/framework';
// Not from '@discordjs/rest': for ES modules that is a second copy, whose errors discord.js never throws.
import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import type { z } from 'zod';
import { AppError, ChatPlatformUnavailable, ChatPlatformUnreadable } from '../../../lib/errors.js';
import { noteCall } from '../../../lib/last-calls.js';
import { logger } from '../../../lib/logger.js';
import { currentLane } from './lane.js';
import { type DiscordRest, lanesOf } from './request-lanes.js';

const { InvalidRole } = RESTJSONErrorCodes;

/** Whether Discord says by this error code that a thing doesn't exist: 10001 to 10999, as 10007 of a member. */
const saysUnknown = (code: string | number): boolean => Number(code) > 10_000 && Number(code) < 11_000;

/** Discord refused because of a missing permission or the role order (its codes 50001 and 50013). */
export class DiscordForbids extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('missing_permission', message, {}, options);
  }
}

/** The member, guild, role, channel or user no longer exists on Discord. */
export class GoneFromDiscord extends AppError {
  /** `discordCode` is Discord's own and says what is gone. */
  constructor(
    message: string,
    readonly discordCode?: string | number,
    options?: ErrorOptions,
  ) {
    super('gone_from_discord', message, {}, options);
  }
}

/** The bot is not in the guild, or the token is another's: that says nothing of what was asked for. */
const isOfNobody = (code: string | number): boolean => code === RESTJSONErrorCodes.MissingAccess;

/**
 * What Discord says against the very thing that it was asked for, which it would refuse again (400, 403), in its own
 * words; null for any other error. An answer without a code of Discord's is none of its refusals.
 */
export function refusalWords(error: unknown): string | null {
  const refused = error instanceof DiscordForbids ? error.cause : error;
  if (!(refused instanceof DiscordAPIError) || (refused.status !== 400 && refused.status !== 403)) return null;
  const { code, message } = refused;
  return Number(code) > 0 && !isOfNobody(code) ? message.replaceAll(/\s*\n\s*/gu, ': ').slice(0, longestWords) : null;
}

/** Of what Discord says. */
const longestWords = 300;

/**
 * Calls Discord's REST interface with the bot's token, in the lane of the running code (see `inLane`); discord.js obeys
 * the rate limits. Throws GoneFromDiscord for a 404 that says what is unknown and for a list of roles with one that
 * doesn't exist (50028), DiscordForbids for a 403, ChatPlatformUnavailable when the outcome is unknown (5xx, time-out,
 * dropped connection; as ChatPlatformUnreadable, a 404 that doesn't come from Discord's interface), when a 401 refused
 * the token (see `holdToken`) or, as HeldBack, when the call was not sent to stay clear of Discord's ban; and the reason
 * of the lane's signal.
 */
export async function callDiscord(call: (rest: DiscordRest) => Promise<unknown>): Promise<unknown> {
  try {
    const answer = await call(lanesOf(container.client.rest).rest);
    noteCall('discord', true);
    return answer;
  } catch (error) {
    if (error instanceof AppError || error === currentLane().signal?.reason) throw error;
    noteCall('discord', error instanceof DiscordAPIError && error.status !== 401);
    if (!(error instanceof DiscordAPIError)) throw new ChatPlatformUnavailable(undefined, { cause: error });
    const { code, message } = error;
    if (code === InvalidRole || (error.status === 404 && saysUnknown(code))) {
      throw new GoneFromDiscord(message, code, { cause: error });
    }
    if (error.status === 404) throw new ChatPlatformUnreadable({ cause: error });
    // Says nothing about the thing that was asked for, and holds only until the token is confirmed.
    if (error.status === 401) throw new ChatPlatformUnavailable(undefined, { cause: error });
    if (error.status === 403) throw new DiscordForbids(error.message, { cause: error });
    throw error;
  }
}

/** The answer to a call, as far as `answer` describes it. Throws ChatPlatformUnreadable for another one, and as above. */
export async function readDiscord<T>(answer: z.ZodType<T>, call: (rest: DiscordRest) => Promise<unknown>): Promise<T> {
  return parseAnswer(answer, await callDiscord(call));
}

/** The same, or null when Discord says with the error code `absent` that there is none, such as 10007 for a member. */
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

/** Parses what Discord answered. What does not fit is logged by its place, not by its content. */
export function parseAnswer<T>(answer: z.ZodType<T>, found: unknown): T {
  const { data, error } = answer.safeParse(found);
  if (error === undefined) return data as T;
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
  logger.error({ answer: answer.description, issues }, 'Discord answered with something else than it documents');
  throw new ChatPlatformUnreadable({ cause: error });
}
