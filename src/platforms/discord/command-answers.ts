import type { REST } from 'discord.js';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { snowflake } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { patiently } from './rest/patience.js';

const registeredCommand = z.looseObject({ id: snowflake, name: z.string().min(1) });

/**
 * The commands in Discord's answer to a registration that have an id and a name. Discord has accepted all commands,
 * regardless of the answer. The answer may be null (its OpenAPI document), which discord.js can't read. For a command
 * without a name, Sapphire warns about "undefined".
 */
function namedCommands(answer: unknown): unknown[] {
  const answered = Array.isArray(answer) ? answer : [];
  const named = answered.filter((command) => registeredCommand.safeParse(command).success);
  if (named.length === 0 || named.length < answered.length) {
    logger.info({ answered: answered.length, named: named.length }, 'Discord did not list every accepted command');
  }
  return named;
}

/**
 * Makes a REST client parse Discord's answer to a full command registration. One that Discord puts off for long throws
 * RateLimitError at once, so that it is logged and made later (DISC-50).
 */
export function readCommandAnswers(client: REST): void {
  const put = client.put.bind(client);
  const isRegistration = (route: string): boolean => /^\/applications\/\d+(?:\/guilds\/\d+)?\/commands$/.test(route);
  const putAndRead: REST['put'] = async (route, options) => {
    if (!isRegistration(route)) return put(route, options);
    return namedCommands(await patiently(clock.monotonicMs(), () => put(route, options)));
  };
  Object.assign(client, { put: putAndRead });
}
