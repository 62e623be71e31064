import { t } from '../../lib/translate.js';
import { type GuildFacts, isAbove } from './guild-facts.js';
import { mayManageRoles } from './permissions.js';

/** Why the bot can't give or take a role (SPEC §6.4). */
export type RoleObstacle = 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot';

/** What keeps the bot from giving or taking a role in this guild; null when nothing does. */
export function roleObstacle(facts: GuildFacts, roleId: string): RoleObstacle | null {
  const role = facts.roles.get(roleId);
  if (role === undefined) return 'role_deleted';
  if (roleId === facts.guildId) return 'everyone_role';
  if (role.managed) return 'role_managed';
  if (!mayManageRoles(facts.bot.permissions)) return 'missing_permission';
  return isAbove(facts.bot.highestRole, role) ? null : 'role_above_bot';
}

/** The obstacle in a sentence that says what to do about it. */
export function describeObstacle(facts: GuildFacts, roleId: string, obstacle: RoleObstacle): string {
  const name = facts.roles.get(roleId)?.name ?? roleId;
  return t(`obstacle.${obstacle}`, { name, bot: facts.bot.highestRole.name });
}
