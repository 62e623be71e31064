import { REST } from 'discord.js';
import { config } from '../../../config/config.js';
import { invalidRequestGuard } from './invalid-request-guard.js';
import { patience } from './patience.js';

/**
 * Discord's REST interface with a separate token, for one or two calls; it leaves nothing running.
 * `isAwaited`: a call throws RateLimitError if Discord asks for a longer wait than a person's patience.
 */
export function oneCallRest(token: string, authPrefix: 'Bot' | 'Bearer', { isAwaited = false } = {}): REST {
  const rest = new REST({
    api: config().discord.apiUrl,
    version: '10',
    authPrefix,
    timeout: 10_000,
    rejectOnRateLimit: ({ retryAfter }) => isAwaited && retryAfter > patience.longestMs,
    // Without sweeping, no timer keeps it alive.
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  });
  invalidRequestGuard().watch(rest);
  return rest.setToken(token);
}
