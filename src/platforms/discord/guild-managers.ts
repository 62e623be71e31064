import { readGuildFacts } from './guild-facts.js';
import { readMemberPage } from './guild-members.js';
import { managesGuild } from './permissions.js';

/** Discord can't filter members by permission, so all are listed, this many at a time. */
export const membersInOneCall = 1000;

/**
 * The members with permission to manage the server (its owner, and Administrator or Manage Server by any role), without
 * bots. Null for a server with more members than one call returns. Throws ChatPlatformUnavailable.
 */
export async function readGuildManagers(guildId: string): Promise<{ chatUserId: string; username: string }[] | null> {
  const [{ ownerId, roles }, { members, next }] = await Promise.all([
    readGuildFacts(guildId),
    readMemberPage(guildId, '0'),
  ]);
  if (next !== null) return null;
  const permissionsOf = (roleIds: readonly string[]) =>
    [guildId, ...roleIds].reduce((all, roleId) => all | (roles.get(roleId)?.permissions ?? 0n), 0n);
  return members.filter(({ chatUserId, roleIds }) => chatUserId === ownerId || managesGuild(permissionsOf(roleIds)));
}
