import { type DiscordRole, type GuildFacts, isAbove } from '../../platforms/discord/guild-facts.js';
import { readMemberRoleIds } from '../../platforms/discord/guild-members.js';
import { type Actor, personBehind } from '../actors/actor.js';

/** Whether somebody stands above a role on Discord, and so could hand it out there by themselves. */
export type RoleReach = (role: DiscordRole) => boolean;

/**
 * Which roles an actor stands above (SPEC §2): a person all below their own highest, a bot token those of the person who
 * made it, and somebody who is not in the guild none. The guild's owner stands above every role, and so does what has
 * nobody behind it: a token of the command line, and Rolelink itself. Throws ChatPlatformUnavailable.
 */
export async function reachOf(actor: Actor, facts: GuildFacts): Promise<RoleReach> {
  const chatUserId = personBehind(actor);
  if (chatUserId === null || chatUserId === facts.ownerId) return () => true;
  const roleIds = await readMemberRoleIds(facts.guildId, chatUserId);
  if (roleIds === null) return () => false;
  const held = [facts.guildId, ...roleIds].flatMap((roleId) => facts.roles.get(roleId) ?? []);
  return (role) => held.some((own) => isAbove(own, role));
}
