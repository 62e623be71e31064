import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { t } from '../../lib/translate.js';
import { within } from '../../lib/within.js';
import { roleHoldersAnswer } from './discord-answers.js';
import { readDiscord } from './rest/discord-call.js';

/** How many people have a role, bots included; null: Discord doesn't say. */
export type HoldersOf = (roleId: string) => number | null;

/** A failure counts as long as an answer, so that a page asks once a minute at most. */
const recent = new LRUCache<string, Record<string, number>>({
  max: 1_000,
  ttl: minuteMs,
  ttlResolution: 0,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: (guildId) => readCounts(guildId),
});

/** A number that only explains something may hold a page up for so long, in milliseconds. Tests shorten it. */
export const holdersWait = { longestMs: 2 * secondMs };

const unknown = {};

/** A guild's role holders for display, up to a minute old, in one call for all (MAP-54). Never throws. */
export async function shownHolders(guildId: string): Promise<HoldersOf> {
  const counts = await within(holdersWait.longestMs, recent.forceFetch(guildId)).catch(() => unknown);
  const known = new Map<string, number>(Object.entries(counts));
  return (roleId) => known.get(roleId) ?? null;
}

/** How many people have a role in a sentence; `role`: its name or mention. */
export function holdersWords(role: string, count: number | null): string {
  return count === null ? t('holders.unknown', { role }) : t('holders.known', { role, count });
}

/** Discord's counts; none if it refuses, fails or answers in another form. */
async function readCounts(guildId: string): Promise<Record<string, number>> {
  // discord.js has no name for this path.
  const path = `/guilds/${guildId}/roles/member-counts` as const;
  try {
    return await readDiscord(roleHoldersAnswer, (rest) => rest.get(path));
  } catch (err) {
    logger.warn({ err, guildId }, 'holders of roles not read from Discord');
    return unknown;
  }
}
