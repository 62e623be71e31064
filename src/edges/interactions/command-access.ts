import { type BaseInteraction, PermissionFlagsBits } from 'discord.js';
import { guildSuspended, standingInGuild } from '../../core/access/guild-access.js';
import { activateInvitation } from '../../core/access/teammate-service.js';
import { type Actor, chatUser } from '../../core/actors/actor.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import { findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import { Forbidden, NotFound } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';

/** The guild that somebody acts in over Discord, and as whom. */
export interface Entrance {
  guild: Guild;
  actor: Actor;
}

/** Who may: every member, or who holds at least a team role. */
export type Access = 'member' | TeamRole;

/**
 * The guild that an interaction came from, and who acts. A team role counts beside Discord's own permission for the
 * command (AUTH-45), and being let in by one is the visit that makes an invited teammate active. Throws NotFound
 * `guild_not_found` outside of guilds that we know, Forbidden `guild_suspended` (API-75) and for too low a role.
 */
export async function enter(interaction: BaseInteraction, as: Access): Promise<Entrance> {
  const { guildId, user } = interaction;
  const guild = guildId === null ? null : await findPresentGuild(guildId);
  if (guild === null) throw guildNotKnown(interaction);
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const actor = chatUser(user.id, user.username);
  if (as === 'member') return { guild, actor };
  const { role, isInvited } = await standingInGuild(actor, guild);
  if (!holds(role, as)) throw new Forbidden('forbidden', t('error.team_role', { role: as }));
  if (isInvited) await activateInvitation(guild._id, actor);
  return { guild, actor: { ...actor, role } };
}

/** What to do about it is told to who may do it on Discord. */
function guildNotKnown({ memberPermissions }: BaseInteraction): NotFound {
  const maySetUp = memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
  return new NotFound('guild_not_found', t(maySetUp ? 'error.guild_not_found' : 'error.guild_not_set_up'));
}
