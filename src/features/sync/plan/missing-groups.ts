import { readGameGroup } from '../../../platforms/roblox/game-groups.js';

/** The groups among `groupIds` that Roblox does not know (any more). Throws GamePlatformUnavailable. */
export async function missingGroups(
  groupIds: readonly string[],
  options: { fresh?: boolean } = {},
): Promise<Set<string>> {
  const groups = await Promise.all(
    groupIds.map(async (groupId) => ({ groupId, group: await readGameGroup(groupId, options) })),
  );
  return new Set(groups.filter(({ group }) => group === null).map(({ groupId }) => groupId));
}
