import { type DiscordRole, type GuildFacts, isAbove } from '../../platforms/discord/guild-facts.js';
import { readMemberRoleIds } from '../../platforms/discord/guild-members.js';
import { type Actor, personBehind } from './actor.js';

/** Whether somebody stands above a role on Discord, and so could hand it out there by themselves. */
export type RoleReach = (role: DiscordRole) => boolean;

/**
 * The highest role of an actor, below which they may hand out roles (AUTH-42): a person's own, a bot token's that of the
 * person who made it, and @everyone of somebody who is not in the guild. Null for who stands above every role: the guild's
 * owner, and what has nobody behind it, a token of the command line or Rolelink itself. Throws ChatPlatformUnavailable.
 */
export async function readCeiling(actor: Actor, facts: GuildFacts): Promise<string | null> {
  const chatUserId = personBehind(actor);
  if (chatUserId === null || chatUserId === facts.ownerId) return null;
  const roleIds = (await readMemberRoleIds(facts.guildId, chatUserId)) ?? [];
  const held = roleIds.flatMap((roleId) => facts.roles.get(roleId) ?? []);
  const highest = held.reduce<DiscordRole | undefined>((a, b) => (a && isAbove(a, b) ? a : b), undefined);
  return highest?.roleId ?? facts.guildId;
}

/** Which roles stand below a ceiling; none when it was deleted. Pure. */
export function reachBelow(ceilingRoleId: string | null, facts: GuildFacts): RoleReach {
  if (ceilingRoleId === null) return () => true;
  const ceiling = facts.roles.get(ceilingRoleId);
  return (role) => ceiling !== undefined && isAbove(ceiling, role);
}
