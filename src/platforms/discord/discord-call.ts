import { container } from '@sapphire/framework';
// Not from '@discordjs/rest': for ES modules that is a second copy, whose errors discord.js never throws.
import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { currentLane } from './lane.js';
import { type DiscordRest, lanesOf } from './request-lanes.js';

const { InvalidRole } = RESTJSONErrorCodes;

/** Discord refused because of a missing permission or the role order (its codes 50001 and 50013). */
export class DiscordForbids extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('conflict', 'missing_permission', message, {}, options);
  }
}

/** The member, guild, role, channel or user no longer exists on Discord. */
export class GoneFromDiscord extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('not_found', 'gone_from_discord', message, {}, options);
  }
}

/**
 * Calls Discord's REST interface with the bot's token, in the lane of the running code (see `inLane`); discord.js obeys
 * the rate limits. Throws GoneFromDiscord for a 404 and for a list of roles with one that doesn't exist (50028),
 * DiscordForbids for a 403, ChatPlatformUnavailable when the outcome is unknown (5xx, time-out, dropped connection) or,
 * as HeldBack, when the call was not sent to stay clear of Discord's ban; and the reason of the lane's signal.
 */
export async function callDiscord<T>(call: (rest: DiscordRest) => Promise<unknown>): Promise<T> {
  try {
    return (await call(lanesOf(container.client.rest).rest)) as T;
  } catch (error) {
    if (error instanceof AppError || error === currentLane().signal?.reason) throw error;
    if (!(error instanceof DiscordAPIError)) throw new ChatPlatformUnavailable(undefined, { cause: error });
    if (error.status === 404 || error.code === InvalidRole) throw new GoneFromDiscord(error.message, { cause: error });
    if (error.status === 403) throw new DiscordForbids(error.message, { cause: error });
    throw error;
  }
}

/** The result of `call`, or null when Discord says that the thing doesn't exist. */
export async function callDiscordOrNull<T>(call: (rest: DiscordRest) => Promise<unknown>): Promise<T | null> {
  try {
    return await callDiscord<T>(call);
  } catch (error) {
    if (error instanceof GoneFromDiscord) return null;
    throw error;
  }
}
