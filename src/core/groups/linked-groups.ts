import { setTimeout as delay } from 'node:timers/promises';
import { type PipelineStage, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { minuteMs } from '../../lib/time.js';
import { aggregateDirectly, readDirectly } from '../../platforms/database/direct-reads.js';
import { type GameGroup, readGameGroup } from '../../platforms/roblox/game-groups.js';
import { checkGroup } from '../../platforms/roblox/group-checks.js';
import { type LinkedGroup, LinkedGroups } from './group-model.js';

/** A copy's maximum age for display. */
const FRESH_FOR_MS = 5 * minuteMs;
/** Maximum wait for Roblox before the existing copy is shown. */
const PATIENCE_MS = 2_000;

/** A guild's attached groups as last read, without a Roblox request. */
export function findGroups(guildId: string): Promise<LinkedGroup[]> {
  const byId = { sort: { groupId: 1 }, hint: { guildId: 1, groupId: 1 } } as const;
  return readDirectly(LinkedGroups.acrossGuilds, { guildId }, byId);
}

export function findGroupsOf(guildIds: readonly string[]): Promise<LinkedGroup[]> {
  const hint = { guildId: 1, groupId: 1 } as const;
  return readDirectly(LinkedGroups.acrossGuilds, { guildId: trusted({ $in: [...guildIds] }) }, { hint });
}

const oldestFirst = { guildId: 1, addedAt: 1, groupId: 1 } as const;

const attachedGroups = new SingleFlight(async (guildId) => {
  const found = LinkedGroups.acrossGuilds
    .find({ guildId }, { _id: 0, groupId: 1, gone: 1 })
    .sort({ addedAt: 1, groupId: 1 })
    .hint(oldestFirst);
  return found.lean<Pick<LinkedGroup, 'groupId' | 'gone'>[]>();
});

/** A guild's group ids, oldest first, and the ones that Roblox did not know at the last read. */
export interface AttachedGroups {
  all: string[];
  gone: Set<string>;
}

export async function attachedGroupIds(guildId: string): Promise<AttachedGroups> {
  return attachedOf(await attachedGroups.get(guildId));
}

/**
 * A guild's attached groups, oldest first, each as `{group}`, and the rows from the stages `also`, in one command. The
 * groups come first, since only a command's first collection can have a hint.
 */
export const aggregateWithGroups = <Row extends object>(
  guildId: string,
  also: readonly PipelineStage.UnionWith[],
): Promise<Row[]> =>
  aggregateDirectly<Row>(
    LinkedGroups.acrossGuilds,
    [
      { $match: { guildId } },
      { $sort: { addedAt: 1, groupId: 1 } },
      { $replaceWith: { group: { groupId: '$groupId', gone: '$gone' } } },
      ...also,
    ],
    { hint: oldestFirst },
  );

/** Pure. */
export function attachedOf(attached: readonly Pick<LinkedGroup, 'groupId' | 'gone'>[]): AttachedGroups {
  const gone = attached.filter((group) => group.gone);
  return { all: attached.map(({ groupId }) => groupId), gone: new Set(gone.map(({ groupId }) => groupId)) };
}

/**
 * The group for display: a copy older than five minutes is read again. If Roblox doesn't answer within two seconds, the
 * old copy is shown with its `refreshedAt`.
 */
export async function refreshedForDisplay(group: LinkedGroup): Promise<LinkedGroup> {
  if (clock.epochMs() - group.refreshedAt.getTime() < FRESH_FOR_MS) return group;
  const patience = new AbortController();
  try {
    const slow = delay(PATIENCE_MS, group, { signal: patience.signal });
    return await Promise.race([refreshGroup(group), slow]);
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return group;
    throw error;
  } finally {
    patience.abort();
  }
}

/**
 * Reads a group from Roblox and stores the result. A group unknown to Roblox is marked `gone` and keeps its last name
 * and roles. Throws GamePlatformUnavailable.
 */
async function refreshGroup(group: LinkedGroup): Promise<LinkedGroup> {
  return keepCopy(group, await readGameGroup(group.groupId));
}

/** Reads a group without the adapter's cache, to check user input. Throws RateLimited, GamePlatformUnavailable. */
export async function refreshForCheck(group: LinkedGroup): Promise<LinkedGroup> {
  return keepCopy(group, await checkGroup(group.guildId, group.groupId, { fresh: true }));
}

async function keepCopy(group: LinkedGroup, current: GameGroup | null): Promise<LinkedGroup> {
  const { guildId, groupId } = group;
  const copy = current === null ? { gone: true, refreshedAt: clock.now() } : copyOf(current);
  return (await LinkedGroups.update({ guildId, groupId }, { $set: copy })) ?? { ...group, ...copy };
}

export function copyOf({ name, memberCount, roles }: GameGroup) {
  return { name, memberCount, roles, gone: false, refreshedAt: clock.now() };
}
