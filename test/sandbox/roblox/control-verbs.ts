import { z } from 'zod';
import { type ControlVerb, faultShape, verbsOf } from '../kit/control-api.js';
import type { RobloxSandbox } from './roblox-sandbox.js';
import type { RobloxState } from './roblox-state.js';

/** How many users `GET /sandbox/state` shows; a sandbox may hold a hundred thousand. */
const shownUsers = 100;

const id = z.string().regex(/^\d+$/);
const item = { kind: z.enum(['badge', 'game_pass', 'asset']), id };
const role = z.strictObject({
  name: z.string().min(1),
  rank: z.int().min(0).max(255),
  permissions: z.array(z.enum(['changeRank', 'acceptRequests'])).exactOptional(),
});

const verb = verbsOf<RobloxSandbox>();

/** Everything that POST /sandbox/{verb} can do. */
export const controlVerbs: Readonly<Record<string, ControlVerb<RobloxSandbox>>> = {
  'add-user': verb(
    {
      username: z.string().min(1),
      displayName: z.string().exactOptional(),
      createdAt: z.iso
        .datetime()
        .transform((text) => new Date(text))
        .exactOptional(),
      about: z.string().exactOptional(),
      banned: z.boolean().exactOptional(),
      formerNames: z.array(z.string()).exactOptional(),
    },
    (sandbox, user) => sandbox.addUser(user),
  ),
  'rename-user': verb({ userId: id, username: z.string().min(1) }, (sandbox, { userId, username }) =>
    sandbox.renameUser(userId, username),
  ),
  'set-about': verb({ userId: id, about: z.string() }, (sandbox, { userId, about }) => sandbox.setAbout(userId, about)),
  'set-banned': verb({ userId: id, banned: z.boolean() }, (sandbox, { userId, banned }) =>
    sandbox.setBanned(userId, banned),
  ),
  'set-premium': verb({ userId: id, premium: z.boolean() }, (sandbox, { userId, premium }) =>
    sandbox.setPremium(userId, premium),
  ),
  'give-item': verb({ userId: id, ...item }, (sandbox, { userId, ...given }) => sandbox.giveItem(userId, given)),
  'take-item': verb({ userId: id, ...item }, (sandbox, { userId, ...taken }) => sandbox.takeItem(userId, taken)),
  'set-inventory-private': verb({ userId: id, isPrivate: z.boolean() }, (sandbox, { userId, isPrivate }) =>
    sandbox.setInventoryPrivate(userId, isPrivate),
  ),
  'remove-user': verb({ userId: id }, (sandbox, { userId }) => sandbox.removeUser(userId)),
  'set-key': verb(
    {
      enabled: z.boolean().exactOptional(),
      expiresAt: z.iso
        .datetime()
        .transform((text) => new Date(text))
        .nullable()
        .exactOptional(),
      scopes: z.array(z.string().regex(/^[\w.-]+:\w+$/)).exactOptional(),
      universeIds: z.array(z.union([id, z.literal('*')])).exactOptional(),
      accountId: id.exactOptional(),
    },
    (sandbox, key) => sandbox.setKey(key),
  ),
  'close-older-reads': verb({ closed: z.boolean() }, (sandbox, { closed }) => sandbox.closeOlderReads(closed)),
  'add-group': verb(
    {
      name: z.string().min(1),
      description: z.string().exactOptional(),
      ownerId: id.exactOptional(),
      roles: z.array(role).exactOptional(),
    },
    (sandbox, group) => sandbox.addGroup(group),
  ),
  'remove-group': verb({ groupId: id }, (sandbox, { groupId }) => sandbox.removeGroup(groupId)),
  'add-role': verb({ groupId: id, name: role.shape.name, rank: role.shape.rank }, (sandbox, { groupId, ...newRole }) =>
    sandbox.addGroupRole(groupId, newRole),
  ),
  'set-rank': verb({ groupId: id, userId: id, rank: role.shape.rank }, (sandbox, { groupId, userId, rank }) =>
    sandbox.setRank(groupId, userId, rank),
  ),
  'set-roles': verb({ groupId: id, userId: id, roleIds: z.array(id).min(1) }, (sandbox, { groupId, userId, roleIds }) =>
    sandbox.setGroupRoles(groupId, userId, roleIds),
  ),
  'request-to-join': verb({ groupId: id, userId: id }, (sandbox, { groupId, userId }) =>
    sandbox.requestToJoin(groupId, userId),
  ),
  'add-universe': verb({ ownerId: id.exactOptional(), players: z.int().min(0).exactOptional() }, (sandbox, universe) =>
    sandbox.addUniverse(universe),
  ),
  'leave-group': verb({ groupId: id, userId: id }, (sandbox, { groupId, userId }) =>
    sandbox.leaveGroup(groupId, userId),
  ),
  'show-group-log': verb({ groupId: id, visible: z.boolean() }, (sandbox, { groupId, visible }) =>
    sandbox.showGroupLog(groupId, visible),
  ),
  'inject-fault': verb(
    { ...faultShape, corrupt: z.enum(['truncated', 'empty_data', 'reversed', 'empty_page']).exactOptional() },
    (sandbox, fault) => void sandbox.inject(fault),
  ),
  'clear-faults': verb({}, (sandbox) => sandbox.clearFaults()),
};

/** What GET /sandbox/state shows. */
export function describeState({ users, groups, universes }: RobloxState) {
  const membershipsOf = (userId: string) =>
    groups.groupsOf(userId).map((group) => ({
      groupId: group.id,
      roles: group.findMember(userId)?.roles.map(({ name, rank }) => ({ name, rank })),
    }));
  return {
    userCount: users.size,
    users: users.list(shownUsers).map((user) => ({ ...user, groups: membershipsOf(user.id) })),
    groups: groups.list().map((group) => ({ ...group, memberCount: group.memberCount })),
    universes: universes.list(),
  };
}
