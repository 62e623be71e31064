import { GamePlatformClosed } from '../../lib/errors.js';
import type { GroupRoles, HeldRoles } from './held-roles.js';
import { hasOpenCloud } from './open-cloud.js';
import { readRolesInGroup } from './open-cloud-memberships.js';
import { readPublicMemberships } from './public-memberships.js';

/**
 * Verifies through Roblox's other interfaces that a person's roles in these groups match `seen`, before they lose
 * anything (SYNC-7). The older host shows only a group's highest role. Open Cloud is read group by group, if the person
 * is still in it or the older host is closed. `unknown`: Roblox has no such account. Throws GamePlatformUnavailable.
 */
export async function readAgain(
  gameUserId: string,
  groupIds: readonly string[],
  seen: GroupRoles,
): Promise<'agrees' | 'contradicts' | 'unknown'> {
  const older = await readOlder(gameUserId);
  if (older === null) return 'unknown';
  const inCloud = groupIds.filter((groupId) => older === 'closed' || (hasOpenCloud() && seen.has(groupId)));
  const opinions = older === 'closed' ? [] : [{ groupIds, held: older }];
  if (inCloud.length > 0) opinions.push({ groupIds: inCloud, held: await readInCloud(gameUserId, inCloud) });
  return opinions.every((opinion) => agrees(opinion.held, seen, opinion.groupIds)) ? 'agrees' : 'contradicts';
}

async function readOlder(gameUserId: string): Promise<HeldRoles | 'closed' | null> {
  try {
    return await readPublicMemberships(gameUserId);
  } catch (error) {
    if (error instanceof GamePlatformClosed && hasOpenCloud()) return 'closed';
    throw error;
  }
}

async function readInCloud(gameUserId: string, groupIds: readonly string[]): Promise<HeldRoles> {
  const held = await Promise.all(
    groupIds.map(async (groupId) => [groupId, await readRolesInGroup(gameUserId, groupId)] as const),
  );
  return new Map(held.filter(([, roles]) => roles.length > 0));
}

/** Whether both have the same groups, without a role missing from `seen`. */
function agrees(held: HeldRoles, seen: GroupRoles, groupIds: readonly string[]): boolean {
  return groupIds.every((groupId) => {
    const before = new Set(seen.get(groupId)?.map(({ gameRoleId }) => gameRoleId));
    const now = [...(held.get(groupId) ?? [])].map((role) => (typeof role === 'string' ? role : role.gameRoleId));
    return now.length > 0 === before.size > 0 && now.every((roleId) => before.has(roleId));
  });
}
