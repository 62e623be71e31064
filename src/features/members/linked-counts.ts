import { LRUCache } from 'lru-cache';
import { allGuildIds } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { inPieces } from '../../lib/in-pieces.js';
import { minuteMs } from '../../lib/time.js';
import { Members, memberIndexes } from './member-model.js';

/** Counting grows with the members: some 40 ms for 100,000. So a count is kept for a minute. */
const recent = new LRUCache<string, number>({
  max: 10_000,
  ttl: minuteMs,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: (guildId) => Members.count({ guildId, state: 'linked' }, { hint: memberIndexes.linkedAt }),
});

/** Guilds that are counted at the same time. More would keep other requests waiting for the database. */
const guildsAtOnce = 10;

/** The number of linked members in each of these guilds, a minute old at most. Members who left count too (API-59). */
export async function linkedMembers(guildIds: readonly string[]): Promise<Map<string, number>> {
  const linked = new Map<string, number>();
  for (const some of inPieces(guildIds, guildsAtOnce)) {
    await Promise.all(some.map(async (guildId) => linked.set(guildId, await recent.forceFetch(guildId))));
  }
  return linked;
}

/** The same for one guild. */
export function countLinkedMembers(guildId: string): Promise<number> {
  return recent.forceFetch(guildId);
}

/** The sum of all guilds. A person who is linked in several guilds counts in each. */
export async function countAllLinkedMembers(): Promise<number> {
  const linked = await linkedMembers(await allGuildIds());
  return [...linked.values()].reduce((sum, count) => sum + count, 0);
}
