import { cloudError } from './wire-errors.js';

/** Whose memberships a list call asks for. */
export type MembershipFilter =
  | { kind: 'none' }
  | { kind: 'users'; userIds: readonly string[] }
  | { kind: 'role'; groupId: string; roleId: string };

/** `groups/-/memberships` takes at most 50 users (Roblox cloud/reference/patterns). */
const maxFilterUsers = 50;

const oneUser = /^user\s*==\s*'users\/(\d+)'$/;
const oneRole = /^role\s*==\s*'groups\/(\d+)\/roles\/(\d+)'$/;
const manyUsers = /^user\s+in\s+\[(.*)\]$/;
const quotedUser = /^'users\/(\d+)'$/;

/**
 * Reads an Open Cloud membership list's `filter` argument. Only the documented forms pass: `user == 'users/1'` and
 * `role == 'groups/1/roles/2'` within one group, `user in ['users/1', …]` with up to 50 users over all groups
 * (`acrossGroups`). Everything else throws Roblox's 400 INVALID_ARGUMENT.
 */
export function parseMembershipFilter(text: string, acrossGroups: boolean): MembershipFilter {
  const filter = acrossGroups ? parseUserList(text) : parseWithinGroup(text);
  if (!filter) throw cloudError(400, 'The provided filter is invalid.');
  return filter;
}

function parseWithinGroup(text: string): MembershipFilter | undefined {
  if (text === '') return { kind: 'none' };
  const [, userId] = oneUser.exec(text) ?? [];
  if (userId) return { kind: 'users', userIds: [userId] };
  const [, groupId, roleId] = oneRole.exec(text) ?? [];
  return groupId && roleId ? { kind: 'role', groupId, roleId } : undefined;
}

function parseUserList(text: string): MembershipFilter | undefined {
  const [, list] = manyUsers.exec(text) ?? [];
  if (list === undefined) return undefined;
  const userIds = list.split(',').map((item) => quotedUser.exec(item.trim())?.[1] ?? '');
  if (userIds.includes('')) return undefined;
  if (userIds.length > maxFilterUsers) {
    throw cloudError(400, `The filter may name at most ${maxFilterUsers} users.`);
  }
  return { kind: 'users', userIds: [...new Set(userIds)] };
}
