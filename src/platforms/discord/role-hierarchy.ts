import { z } from 'zod';
import { t } from '../../lib/translate.js';
import { type GuildFacts, isAbove } from './guild-facts.js';
import { dangerousPermissions, mayManageRoles } from './permissions.js';

/**
 * Why a role that is due is neither given nor taken: an obstacle on Discord, `became_dangerous`: it has gained
 * dangerous permissions since an admin mapped it (AUTH-40), or `refused_by_discord`: for a reason that only Discord's
 * answer tells.
 */
export const blockReason = z.enum([
  'role_deleted',
  'everyone_role',
  'role_managed',
  'missing_permission',
  'role_above_bot',
  'became_dangerous',
  'refused_by_discord',
]);
export type BlockReason = z.output<typeof blockReason>;

/** Why the bot can't give or take a role (SYNC-24). */
export const obstacleOfRole = blockReason.exclude(['became_dangerous', 'refused_by_discord']);
export type RoleObstacle = z.output<typeof obstacleOfRole>;

/** Why the bot can't change a nickname. */
export const nicknameObstacle = z.enum(['guild_owner', 'member_above_bot', 'missing_permission', 'refused_by_discord']);
export type NicknameObstacle = z.output<typeof nicknameObstacle>;

/** What keeps the bot from giving or taking a role in this guild; null when nothing does. */
export function roleObstacle(facts: GuildFacts, roleId: string): RoleObstacle | null {
  const role = facts.roles.get(roleId);
  if (role === undefined) return 'role_deleted';
  if (roleId === facts.guildId) return 'everyone_role';
  if (role.managed) return 'role_managed';
  if (!mayManageRoles(facts.bot.permissions)) return 'missing_permission';
  return isAbove(facts.bot.highestRole, role) ? null : 'role_above_bot';
}

/** The reason in a sentence that says what to do about it; `words` are Discord's, where it has refused. */
export function describeObstacle(facts: GuildFacts, roleId: string, reason: BlockReason, words = ''): string {
  const { roleName, botRoleName, permissions } = partsOfObstacle(facts, roleId);
  return t(`obstacle.${reason}`, { name: roleName, bot: botRoleName, permissions: permissions.join(', '), words });
}

/** What such sentences are made of. */
export function partsOfObstacle(facts: GuildFacts, roleId: string) {
  const { name: roleName = roleId, permissions = 0n } = facts.roles.get(roleId) ?? {};
  return { roleName, botRoleName: facts.bot.highestRole.name, permissions: dangerousPermissions(permissions) };
}
