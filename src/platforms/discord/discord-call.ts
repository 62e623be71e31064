import { container } from '@sapphire/framework';
// Not from '@discordjs/rest': that is another copy for ES modules, whose errors discord.js never throws.
import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { currentLane } from './lane.js';
import { type DiscordRest, lanesOf } from './request-lanes.js';

const { InvalidRole } = RESTJSONErrorCodes;

/** Discord refused for want of a permission or because of role order (its codes 50001 and 50013). */
export class DiscordForbids extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('conflict', 'missing_permission', message, {}, options);
  }
}

/** The member, guild, role, channel or user that was asked for does not exist on Discord any more. */
export class GoneFromDiscord extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('not_found', 'gone_from_discord', message, {}, options);
  }
}

/**
 * Calls Discord's REST interface with the bot's token, in the lane of the running code (see `inLane`); discord.js keeps
 * the rate limits from the headers.
 * Throws GoneFromDiscord for a 404 and for a list of roles with one that does not exist (50028), DiscordForbids for a
 * 403, ChatPlatformUnavailable for everything that leaves the outcome unknown (5xx, time-out, dropped connection)
 * and, as HeldBack, for what is not sent lest Discord bans us; and what the lane's signal was aborted with.
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

/** What `call` gives, or null when Discord says that there is no such thing. */
export async function callDiscordOrNull<T>(call: (rest: DiscordRest) => Promise<unknown>): Promise<T | null> {
  try {
    return await callDiscord<T>(call);
  } catch (error) {
    if (error instanceof GoneFromDiscord) return null;
    throw error;
  }
}
