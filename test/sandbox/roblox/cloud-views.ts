import type { GameGroup } from './game-group.js';
import type { SandboxGameRole } from './game-role.js';
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

/** Guest has no member count; what only the group's owner may see (times, description, permissions) is left out. */
export function viewCloudRole(group: GameGroup, role: SandboxGameRole) {
  return {
    path: rolePath(group, role),
    id: role.id,
    displayName: role.name,
    rank: role.rank,
    ...(role.rank === 0 ? {} : { memberCount: group.members(role.id).size }),
  };
}

/** `roles` holds every role of the member, `role` only the highest (Roblox's OpenAPI). */
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
