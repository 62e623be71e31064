import type { BaseInteraction } from 'discord.js';
import { guildSuspended, standingInGuild } from '../../core/access/guild-access.js';
import { activateInvitation } from '../../core/access/teammate-service.js';
import { type Actor, chatUser } from '../../core/actors/actor.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import { findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import { Forbidden, NotFound } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { type DiscordRole, isAbove, readGuildFacts } from '../../platforms/discord/guild-facts.js';

/** The guild that somebody acts in over Discord, and as whom. */
export interface Entrance {
  guild: Guild;
  actor: Actor;
}

/**
 * For what every member may do. Throws NotFound `guild_not_found` outside of guilds that we know, Forbidden
 * `guild_suspended` (SPEC §5).
 */
export async function enterAsMember({ guildId, user }: BaseInteraction): Promise<Entrance> {
  const guild = guildId === null ? null : await findPresentGuild(guildId);
  if (guild === null) throw new NotFound('guild_not_found', t('error.guild_not_found'));
  if (guild.state === 'suspended') throw guildSuspended(guild);
  return { guild, actor: chatUser(user.id, user.username) };
}

/**
 * For what takes a team role, which counts beside Discord's own permission for the command (SPEC §2). Throws as
 * `enterAsMember` does, and Forbidden when the role is less than `least`.
 * Being let in is the visit that makes an invited teammate active.
 */
export async function enterAsTeam(interaction: BaseInteraction, least: TeamRole): Promise<Entrance> {
  const { guild, actor } = await enterAsMember(interaction);
  const { role, isInvited } = await standingInGuild(actor, guild);
  if (!holds(role, least)) throw new Forbidden('forbidden', t('error.team_role', { role: least }));
  if (isInvited) await activateInvitation(guild._id, actor);
  return { guild, actor: { ...actor, role } };
}

/** The highest role of the person who acts, of the guild as it is now (SPEC §2). Throws ChatPlatformUnavailable. */
export async function highestRoleOf({ guildId, member }: BaseInteraction): Promise<DiscordRole> {
  if (guildId === null || member === null) throw new NotFound('guild_not_found', t('error.guild_not_found'));
  const { roles } = await readGuildFacts(guildId);
  const held = Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()];
  return [guildId, ...held].flatMap((roleId) => roles.get(roleId) ?? []).reduce((a, b) => (isAbove(a, b) ? a : b));
}
