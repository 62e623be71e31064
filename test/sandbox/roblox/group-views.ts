import type { GameGroup } from './game-group.js';
import type { SandboxGameRole } from './game-role.js';
import type { SandboxGameUser } from './user-directory.js';

/** The forms in which groups.roblox.com shows groups, roles and people. Ids are JSON numbers on the older hosts. */
export function viewGroupDetail(group: GameGroup, owner: SandboxGameUser | undefined) {
  return {
    id: Number(group.id),
    name: group.name,
    description: group.description,
    owner: owner ? viewPerson(owner) : null,
    shout: null,
    memberCount: group.memberCount,
    isBuildersClubOnly: false,
    publicEntryAllowed: true,
    hasVerifiedBadge: false,
  };
}

export function viewGroupBasics(group: GameGroup) {
  return { id: Number(group.id), name: group.name, memberCount: group.memberCount, hasVerifiedBadge: false };
}

export function viewGroupV2(group: GameGroup) {
  return {
    id: Number(group.id),
    name: group.name,
    description: group.description,
    ...(group.ownerId === undefined ? {} : { owner: { id: Number(group.ownerId), type: 0 } }),
    memberCount: group.memberCount,
    created: group.createdAt.toISOString(),
    hasVerifiedBadge: false,
  };
}

export function viewRoleWithCount(group: GameGroup, role: SandboxGameRole) {
  return { ...viewRole(role), memberCount: group.members(role.id).size };
}

export function viewRole(role: SandboxGameRole) {
  return { id: Number(role.id), name: role.name, rank: role.rank };
}

export function viewPerson(user: SandboxGameUser) {
  return {
    buildersClubMembershipType: 0,
    hasVerifiedBadge: false,
    userId: Number(user.id),
    username: user.username,
    displayName: user.displayName,
  };
}
