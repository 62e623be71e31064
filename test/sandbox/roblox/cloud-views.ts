import type { GameGroup } from './game-group.js';
import type { GroupPermission, SandboxGameRole } from './game-role.js';
import type { GroupMember } from './member-index.js';
import type { SandboxGameUser } from './user-directory.js';

/** The forms in which Open Cloud v2 shows things: resource paths, string ids, RFC 3339 times. */
export function viewCloudGroup(group: GameGroup) {
  const created = group.createdAt.toISOString();
  return {
    path: `groups/${group.id}`,
    createTime: created,
    updateTime: created,
    id: group.id,
    displayName: group.name,
    description: group.description,
    ...(group.ownerId === undefined ? {} : { owner: `users/${group.ownerId}` }),
    memberCount: group.memberCount,
    publicEntryAllowed: true,
    locked: false,
    verified: false,
  };
}

/**
 * Guest has no member count. What only the group's owner may see (times, description) is left out. Its permissions are
 * shown to the key's account where it holds the role or owns the group.
 */
export function viewCloudRole(group: GameGroup, role: SandboxGameRole, accountId: string) {
  const isShown = accountId === group.ownerId || group.findMember(accountId)?.roles.some(({ id }) => id === role.id);
  const has = (name: GroupPermission) => role.rank === 255 || (role.permissions ?? []).includes(name);
  return {
    path: rolePath(group, role),
    id: role.id,
    displayName: role.name,
    rank: role.rank,
    ...(role.rank === 0 ? {} : { memberCount: group.members(role.id).size }),
    ...(isShown && { permissions: { changeRank: has('changeRank'), acceptRequests: has('acceptRequests') } }),
  };
}

/** `roles` holds the member's roles, `role` only the highest (Roblox's OpenAPI). */
export function viewMembership(group: GameGroup, member: GroupMember) {
  const roles = member.roles.map((role) => rolePath(group, role));
  return {
    path: `groups/${group.id}/memberships/${Buffer.from(member.userId).toString('base64url')}`,
    createTime: member.joinedAt.toISOString(),
    updateTime: member.updatedAt.toISOString(),
    user: `users/${member.userId}`,
    role: roles[0],
    roles,
  };
}

/** A request has its own id, by which it is answered. */
export function viewJoinRequest(group: GameGroup, userId: string, at: Date) {
  return {
    path: `groups/${group.id}/join-requests/${Buffer.from(userId).toString('base64url')}`,
    createTime: at.toISOString(),
    user: `users/${userId}`,
  };
}

export function viewCloudUser(user: SandboxGameUser) {
  return {
    path: `users/${user.id}`,
    createTime: user.createdAt.toISOString(),
    id: user.id,
    name: user.username,
    displayName: user.displayName,
    about: user.about,
    locale: 'en-US',
    premium: user.premium,
  };
}

function rolePath(group: GameGroup, role: SandboxGameRole): string {
  return `groups/${group.id}/roles/${role.id}`;
}
