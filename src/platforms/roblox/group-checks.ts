import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { RateLimited } from '../../lib/errors.js';
import { inPieces } from '../../lib/in-pieces.js';
import { SlidingCount } from '../../lib/sliding-count.js';
import { minuteMs } from '../../lib/time.js';
import { type FoundGroup, searchGameGroups } from './game-group-search.js';
import { type GameGroup, isRemembered, readGameGroup } from './game-groups.js';
import { perConfiguration } from './roblox-config.js';

// User input can name any group. Checking it must not use up the calls needed for verifications and syncs.

/** Maximum groups per minute that one server's checks and searches read from Roblox. Roblox allows a key 150. */
const shareAMinute = 60;
/** How many groups one check reads in parallel. */
const together = 4;
/** A check that will be refused stops after this many unknown groups. */
const fewUnknown = 3;
/** Leaves the last part of Roblox's limit to interactive reads. */
const patience = { totalMs: 15_000, attempts: 4, yields: true };

const unknownGroups = perConfiguration(
  () =>
    new LRUCache<string, true>({
      max: 10_000,
      ttl: minuteMs,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    }),
);
const shares = perConfiguration(() => new LRUCache<string, SlidingCount>({ max: 10_000 }));

/**
 * A group named in user input; null if Roblox doesn't know it, which is cached for a minute. `fresh`: from a read that
 * begins now. Throws RateLimited if the guild has used up its share, and GamePlatformUnavailable.
 */
export async function checkGroup(guildId: string, groupId: string, { fresh = false } = {}): Promise<GameGroup | null> {
  if (!fresh && unknownGroups().has(groupId)) return null;
  if (fresh || !isRemembered(groupId)) takeShare(guildId);
  const found = await readGameGroup(groupId, { fresh, patience });
  if (found === null) unknownGroups().set(groupId, true);
  else unknownGroups().delete(groupId);
  return found;
}

/**
 * The known ones among several groups, and the first unknown one. After `mostUnknown` unknown groups the check stops,
 * and the rest counts as unknown. Throws as `checkGroup` does.
 */
export async function checkGroups(
  guildId: string,
  groupIds: readonly string[],
  mostUnknown = fewUnknown,
): Promise<{ known: GameGroup[]; unknown: string[] }> {
  const known: GameGroup[] = [];
  const unknown: string[] = [];
  for (const some of inPieces(groupIds, together)) {
    const read = await Promise.all(
      some.map(async (groupId) => ({ groupId, game: await checkGroup(guildId, groupId) })),
    );
    for (const { groupId, game } of read) {
      if (game === null) unknown.push(groupId);
      else known.push(game);
    }
    if (unknown.length >= mostUnknown) break;
  }
  return { known, unknown };
}

/** The groups that Roblox finds for a name, in a server's share. Throws as `checkGroup` and `searchGameGroups` do. */
export async function searchGroups(guildId: string, name: string): Promise<FoundGroup[]> {
  takeShare(guildId);
  return searchGameGroups(name);
}

function takeShare(guildId: string): void {
  const share = shares().get(guildId) ?? new SlidingCount(60);
  shares().set(guildId, share);
  const seconds = share.secondsUntilBelow(shareAMinute);
  if (seconds > 0) {
    throw new RateLimited(
      seconds,
      `This server has looked up ${shareAMinute} Roblox groups within a minute. Try again in ${seconds} s.`,
    );
  }
  share.add();
}
