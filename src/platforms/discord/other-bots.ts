import type { GuildFacts } from './guild-facts.js';
import { mayManageRoles } from './permissions.js';

/** A guild's other bots that may give roles, by the roles that Discord gave them. Pure. */
export function otherBots({ roles, bot }: GuildFacts): string[] {
  const others = [...roles.values()].filter(({ roleId, managed }) => managed && !bot.roleIds.includes(roleId));
  return others.filter(({ permissions }) => mayManageRoles(permissions)).map(({ name }) => name);
}
