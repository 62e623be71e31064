import { z } from 'zod';
import { t } from '../../lib/translate.js';
import { type GuildFacts, isAbove } from './guild-facts.js';
import { permissionList } from './permission-words.js';
import { dangerousPermissions, mayManageRoles } from './permissions.js';

/**
 * The reason that a role is neither given nor removed. `became_dangerous`: it has gained dangerous permissions since an
 * admin mapped it (AUTH-40). `removal_limit`: its removal waits for an admin (SYNC-11). `beyond_word`: the link rests on
 * the server's word, and its author may not give this role (AUTH-62). `refused_by_discord`: the reason is only in
 * Discord's answer. All others are obstacles on Discord.
 */
export const blockReason = z.enum([
  'role_deleted',
  'everyone_role',
  'role_managed',
  'missing_permission',
  'role_above_bot',
  'became_dangerous',
  'removal_limit',
  'beyond_word',
  'refused_by_discord',
]);
export type BlockReason = z.output<typeof blockReason>;

/** The reasons that the bot can't give or remove a role (SYNC-24). */
export const obstacleOfRole = blockReason.exclude([
  'became_dangerous',
  'removal_limit',
  'beyond_word',
  'refused_by_discord',
]);
export type RoleObstacle = z.output<typeof obstacleOfRole>;

export const nicknameObstacle = z.enum(['guild_owner', 'member_above_bot', 'missing_permission', 'refused_by_discord']);
export type NicknameObstacle = z.output<typeof nicknameObstacle>;

/** The obstacle to giving or removing a role in this guild; null for none. */
export function roleObstacle(facts: GuildFacts, roleId: string): RoleObstacle | null {
  const role = facts.roles.get(roleId);
  if (role === undefined) return 'role_deleted';
  if (roleId === facts.guildId) return 'everyone_role';
  if (role.managed) return 'role_managed';
  if (!mayManageRoles(facts.bot.permissions)) return 'missing_permission';
  return isAbove(facts.bot.highestRole, role) ? null : 'role_above_bot';
}

/** The reason in a sentence with the remedy; `words` are Discord's, if it has refused. */
export function describeObstacle(facts: GuildFacts, roleId: string, reason: BlockReason, words = ''): string {
  const { roleName, botRoleName, permissions } = partsOfObstacle(facts, roleId);
  return t(`obstacle.${reason}`, {
    name: roleName,
    bot: botRoleName,
    permissions: permissionList(permissions),
    words,
  });
}

/** The parts of these sentences. */
export function partsOfObstacle(facts: GuildFacts, roleId: string) {
  const { name: roleName = roleId, permissions = 0n } = facts.roles.get(roleId) ?? {};
  return { roleName, botRoleName: facts.bot.highestRole.name, permissions: dangerousPermissions(permissions) };
}
