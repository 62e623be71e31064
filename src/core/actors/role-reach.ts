import { type DiscordRole, type GuildFacts, isAbove } from '../../platforms/discord/guild-facts.js';
import { readMemberRoleIds } from '../../platforms/discord/guild-members.js';
import { type Actor, personBehind } from './actor.js';

/** Whether a person is above a role on Discord and could give it there without Rolelink. */
export type RoleReach = (role: DiscordRole) => boolean;

/**
 * The actor's highest role; they may hand out only roles below it (AUTH-42). A bot token has its maker's role; a person
 * outside the guild has @everyone. Null means above every role: the guild's owner, command-line tokens and Rolelink
 * itself. Throws ChatPlatformUnavailable.
 */
export async function readCeiling(actor: Actor, facts: GuildFacts): Promise<string | null> {
  const chatUserId = personBehind(actor);
  if (chatUserId === null || chatUserId === facts.ownerId) return null;
  const roleIds = (await readMemberRoleIds(facts.guildId, chatUserId)) ?? [];
  const held = roleIds.flatMap((roleId) => facts.roles.get(roleId) ?? []);
  const highest = held.reduce<DiscordRole | undefined>((a, b) => (a && isAbove(a, b) ? a : b), undefined);
  return highest?.roleId ?? facts.guildId;
}

/** The roles below a ceiling; none if the ceiling role was deleted. Pure. */
export function reachBelow(ceilingRoleId: string | null, facts: GuildFacts): RoleReach {
  if (ceilingRoleId === null) return () => true;
  const ceiling = facts.roles.get(ceilingRoleId);
  return (role) => ceiling !== undefined && isAbove(ceiling, role);
}
