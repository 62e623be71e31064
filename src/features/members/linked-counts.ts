import { LRUCache } from 'lru-cache';
import { allGuildIds } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { inPieces } from '../../lib/in-pieces.js';
import { minuteMs } from '../../lib/time.js';
import { Members, memberIndexes } from './member-model.js';

/** Counting 100,000 members takes some 40 ms. So a count is kept for a minute. */
const recent = new LRUCache<string, number>({
  max: 10_000,
  ttl: minuteMs,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: (guildId) => Members.count({ guildId, state: 'linked' }, { hint: memberIndexes.linkedAt }),
});

/** Maximum guilds counted at the same time. More would block the database for other requests. */
const guildsAtOnce = 10;

/** How many linked members each guild has, at most a minute old. Departed members count too (API-59). */
export async function linkedMembers(guildIds: readonly string[]): Promise<Map<string, number>> {
  const linked = new Map<string, number>();
  for (const some of inPieces(guildIds, guildsAtOnce)) {
    await Promise.all(some.map(async (guildId) => linked.set(guildId, await recent.forceFetch(guildId))));
  }
  return linked;
}

/** How many linked members a guild has, at most a minute old; `now`: counted for this call. */
export function countLinkedMembers(guildId: string, age: 'recent' | 'now' = 'recent'): Promise<number> {
  return recent.forceFetch(guildId, { forceRefresh: age === 'now' });
}

/** The sum over all guilds. A person with links in several guilds counts in each. */
export async function countAllLinkedMembers(): Promise<number> {
  const linked = await linkedMembers(await allGuildIds());
  return [...linked.values()].reduce((sum, count) => sum + count, 0);
}
