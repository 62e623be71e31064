import { container } from '@sapphire/framework';
import { type ApplicationCommandDataResolvable, DiscordAPIError, RateLimitError } from 'discord.js';
import { waitAfter } from '../../../lib/backoff.js';
import { logger } from '../../../lib/logger.js';
import { minuteMs, secondMs } from '../../../lib/time.js';

const waits = { firstMs: secondMs, longestMs: 10 * minuteMs };

/**
 * Registers the commands again until Discord accepts them; Sapphire tries only once, when the bot is ready. `error`:
 * the failure. A refused request is not sent again, and one that Discord puts off is sent when Discord lets it.
 */
export function registerLater(error: unknown, failed = 1): void {
  // The check for a refused token is a separate one with its own message.
  const isUnauthorized = error instanceof DiscordAPIError && error.status === 401;
  const askedMs = error instanceof RateLimitError ? error.retryAfter : 0;
  const waitMs = Math.max(waitAfter(failed, waits), askedMs);
  const isOffline = error instanceof NotConnected;
  const cause = isUnauthorized || isOffline ? { reason: error.message } : { err: error };
  logger.error({ ...cause, againInSeconds: Math.ceil(waitMs / secondMs) }, 'commands not registered');
  if (error instanceof DiscordAPIError && [400, 403].includes(error.status)) return;
  setTimeout(() => {
    register().then(
      () => logger.info('commands registered'),
      (again: unknown) => registerLater(again, failed + 1),
    );
  }, waitMs).unref();
}

/** The gateway is away, which has its own lines in the log. */
class NotConnected extends Error {}

async function register(): Promise<void> {
  const { client, stores } = container;
  if (!client.isReady()) throw new NotConnected('The bot is not connected.');
  const calls = [...stores.get('commands').values()].flatMap(({ applicationCommandRegistry }): BuiltCall[] =>
    Reflect.get(applicationCommandRegistry, 'apiCalls'),
  );
  await client.application.commands.set(calls.map(({ builtData }) => builtData));
}

interface BuiltCall {
  builtData: ApplicationCommandDataResolvable;
}
