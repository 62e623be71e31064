import { readMemberPermissions } from '../discord/guild-members.js';
import { managesGuild } from '../discord/permissions.js';
import { findPresentGuild, type Guild } from '../guilds/guild-service.js';
import { Forbidden, NotFound } from '../lib/errors.js';
import { readSettings } from '../settings/settings-service.js';
import { teamRoleOf } from '../team/teammate-service.js';
import type { Actor } from './actor.js';
import { highestRole, holds, type TeamRole } from './team-roles.js';

/**
 * The role that `actor` holds in `guild` now, or null (SPEC §2). Discord's owner is the owner; a teammate has the role
 * that they were given; a member whom Discord lets manage the server is an admin while the guild trusts that.
 */
export async function roleInGuild(actor: Actor, guild: Guild): Promise<TeamRole | null> {
  if (actor.kind === 'bot_token') {
    return actor.tokenGuildId === '*' || actor.tokenGuildId === guild._id ? actor.role : null;
  }
  if (actor.kind !== 'user') return null;
  if (actor.id === guild.ownerId) return 'owner';
  const given = await teamRoleOf(guild._id, actor.id);
  if (holds(given, 'admin')) return given;
  return highestRole([given, await roleFromDiscord(actor.id, guild)]);
}

async function roleFromDiscord(chatUserId: string, guild: Guild): Promise<TeamRole | null> {
  const { trustDiscordAdmins } = await readSettings(guild._id);
  if (!trustDiscordAdmins) return null;
  const permissions = await readMemberPermissions(guild._id, chatUserId);
  return permissions !== null && managesGuild(permissions) ? 'admin' : null;
}

/**
 * The guild and the actor as they act in it. Throws NotFound `guild_not_found` when they cannot see it, Forbidden when
 * their role is less than `least`, Forbidden `guild_suspended` when it is suspended and `whileSuspended` is not set.
 */
export async function enterGuild(
  actor: Actor,
  guildId: string,
  wish: { least: TeamRole; whileSuspended: boolean },
): Promise<{ actor: Actor; guild: Guild }> {
  const guild = await findPresentGuild(guildId);
  const role = guild === null ? null : await roleInGuild(actor, guild);
  if (guild === null || role === null) throw new NotFound('guild_not_found', 'There is no such guild.');
  if (!holds(role, wish.least)) {
    throw new Forbidden('forbidden', `This takes the role ${wish.least}; yours is ${role}.`);
  }
  if (guild.state === 'suspended' && !wish.whileSuspended) throw guildSuspended(guild);
  return { actor: { ...actor, role }, guild };
}

/** The refusal of everything in a suspended guild (SPEC §5). */
export function guildSuspended(guild: Guild): Forbidden {
  const reason = guild.suspension?.reason;
  return new Forbidden('guild_suspended', `This guild is suspended${reason === undefined ? '' : `: ${reason}`}.`);
}
