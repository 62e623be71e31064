import { config } from '../../config/config.js';
import type { FactKind, LinkedFact } from '../../config/linked-facts.js';
import { enqueueByConfiguration, publishesFacts } from '../../features/linked-roles/linked-role-service.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { type Locale, locale, type TextKey, t, withLocale } from '../../lib/translate.js';
import { readOwnApplication } from '../../platforms/discord/own-application.js';
import {
  areRegistered,
  RoleConnectionRefused,
  type RoleRecord,
  registerRecords,
  setVerificationUrl,
} from '../../platforms/discord/role-connections.js';
import { pokeAt, standing } from '../../platforms/jobs/standing.js';
import { discordLocales } from '../interactions/discord-locales.js';

/**
 * Discord's comparison operators: `2` at least this number, `7` yes. Days are counted here, since Discord's date types
 * are ambiguous.
 */
const types: Readonly<Record<FactKind, RoleRecord['type']>> = {
  verified: 7,
  premium: 7,
  account_age: 2,
  rank: 2,
  member_since: 2,
};

export const verificationUrl = (): string => `${config().publicUrl}/linked-roles`;

/** The operator's published facts in Discord's format, in every language. */
export const linkedRoleRecords = (): RoleRecord[] => config().linkedRoles.map(recordOf);

function recordOf({ kind, key, groupId = '', name }: LinkedFact): RoleRecord {
  const words = (part: 'name' | 'about', of: Locale): string =>
    withLocale(of, () => t(`linked.${kind}.${part}` satisfies TextKey, { group: groupId }));
  return {
    type: types[kind],
    key,
    name: name ?? words('name', 'en'),
    name_localizations: inTheirLocales((of) => name ?? words('name', of)),
    description: words('about', 'en'),
    description_localizations: inTheirLocales((of) => words('about', of)),
  };
}

function inTheirLocales(words: (of: Locale) => string): Record<string, string> {
  const others = locale.options.filter((of) => of !== 'en');
  return Object.fromEntries(others.flatMap((of) => discordLocales[of].map((theirs) => [theirs, words(of)])));
}

const againAfterMs = 10 * minuteMs;

/** Tried again after ten minutes while Discord does not answer. */
const registerRoles = standing({
  name: 'register-linked-roles',
  everyMs: dayMs,
  atStart: true,
  async run() {
    try {
      await registerLinkedRoles();
    } catch (error) {
      pokeAt(registerRoles, new Date(clock.epochMs() + againAfterMs));
      throw error;
    }
  },
});

/**
 * Registers the operator's published facts with Discord, and the connection address unless another one is set. People
 * with different registered facts are scheduled for an update. Refusals by Discord are logged and reported by `doctor`.
 * Throws ConfigError and ChatPlatformUnavailable.
 */
export async function registerLinkedRoles(): Promise<void> {
  await enqueueByConfiguration();
  if (!publishesFacts()) return;
  const application = await readOwnApplication();
  const records = linkedRoleRecords();
  await orSay('Discord refuses what LINKED_ROLES publishes', async () => {
    if (await areRegistered(application.applicationId, records)) return;
    await registerRecords(application.applicationId, records);
    logger.info({ facts: records.map(({ key }) => key) }, 'registered the facts for Linked Roles');
  });
  if (application.verificationUrl !== null) return;
  await orSay('Discord refuses the address where people connect themselves', async () => {
    await setVerificationUrl(verificationUrl());
    logger.info({ url: verificationUrl() }, 'registered the connection page for Linked Roles');
  });
}

async function orSay(words: string, work: () => Promise<void>): Promise<void> {
  await work().catch((err: unknown) => {
    if (!(err instanceof RoleConnectionRefused)) throw err;
    logger.warn({ err }, words);
  });
}
