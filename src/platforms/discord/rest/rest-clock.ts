import type { REST } from 'discord.js';

/**
 * Moves the ends of discord.js's rate limits after the clock was set back by `ms`. It stores them as wall-clock times,
 * so a used-up limit would hold its calls for that much longer.
 */
export function setBackRateLimits(client: REST, ms: number): void {
  if (client.globalReset > 0) client.globalReset -= ms;
  for (const handler of client.handlers.values()) {
    const reset: unknown = Reflect.get(handler, 'reset');
    if (typeof reset === 'number' && reset > 0) Object.assign(handler, { reset: reset - ms });
  }
}
