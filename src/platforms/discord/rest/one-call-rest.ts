import { REST } from 'discord.js';
import { config } from '../../../config/config.js';
import { invalidRequestGuard } from './invalid-request-guard.js';
import { isTooLong } from './patience.js';

/**
 * Discord's REST interface with a separate token, for one or two calls; it leaves nothing running. It keeps to
 * `patiently`.
 */
export function oneCallRest(token: string, authPrefix: 'Bot' | 'Bearer'): REST {
  const rest = new REST({
    api: config().discord.apiUrl,
    version: '10',
    authPrefix,
    timeout: 10_000,
    rejectOnRateLimit: isTooLong,
    // Without sweeping, no timer keeps it alive.
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  });
  invalidRequestGuard().watch(rest);
  return rest.setToken(token);
}
