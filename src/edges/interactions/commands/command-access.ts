import { type BaseInteraction, PermissionFlagsBits } from 'discord.js';
import { guildSuspended, membershipIn } from '../../../core/access/guild-access.js';
import { activateInvitation } from '../../../core/access/teammate-service.js';
import { type Actor, chatUser } from '../../../core/actors/actor.js';
import { holds, type TeamRole } from '../../../core/actors/team-roles.js';
import { findPresentGuild, type Guild } from '../../../core/guilds/guild-service.js';
import { Forbidden, NotFound } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';

export interface Entrance {
  guild: Guild;
  actor: Actor;
}

export type Access = 'member' | TeamRole;

/**
 * Returns an interaction's guild and the acting person. A team role counts in addition to Discord's own permission for
 * the command (AUTH-45). Entering through an invited role activates that teammate. Throws NotFound `guild_not_found`
 * outside known guilds, Forbidden `guild_suspended` (API-75) and Forbidden for too low a role.
 */
export async function enter(interaction: BaseInteraction, as: Access): Promise<Entrance> {
  const { guildId, user } = interaction;
  const guild = guildId === null ? null : await findPresentGuild(guildId);
  if (guild === null) throw guildNotKnown(interaction);
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const actor = chatUser(user.id, user.username);
  if (as === 'member') return { guild, actor };
  const { role, isInvited } = await membershipIn(actor, guild);
  if (!holds(role, as)) throw new Forbidden('forbidden', t('error.team_role', { role: as }));
  if (isInvited) await activateInvitation(guild._id, actor);
  return { guild, actor: { ...actor, role } };
}

/** Only a person with Manage Server gets the instructions. */
function guildNotKnown({ memberPermissions }: BaseInteraction): NotFound {
  const maySetUp = memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
  return new NotFound('guild_not_found', t(maySetUp ? 'error.guild_not_found' : 'error.guild_not_set_up'));
}
