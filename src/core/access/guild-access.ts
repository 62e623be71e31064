import { Forbidden, NotFound } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { confirmOwner } from '../../platforms/discord/guild-facts.js';
import { readMemberPermissions } from '../../platforms/discord/guild-members.js';
import { managesGuild } from '../../platforms/discord/permissions.js';
import type { Actor } from '../actors/actor.js';
import { highestRole, holds, lowerRole, type TeamRole } from '../actors/team-roles.js';
import { findPresentGuild, type Guild } from '../guilds/guild-service.js';
import { readSettings } from '../settings/settings-service.js';
import type { Teammate } from './teammate-model.js';
import { findTeammate } from './teammate-service.js';

/** The role that `actor` currently holds in `guild`, or null (AUTH-33). Throws ChatPlatformUnavailable. */
export async function roleInGuild(actor: Actor, guild: Guild): Promise<TeamRole | null> {
  if (actor.kind === 'bot_token') {
    return actor.tokenGuildId === '*' || actor.tokenGuildId === guild._id ? actor.role : null;
  }
  return actor.kind === 'user' ? roleOfPerson(actor.id, guild) : null;
}

/**
 * The actor's role, and whether they have an unused team invitation. An edge that admits them activates it
 * (`activateInvitation`). Only decides; writes nothing.
 */
export async function membershipIn(actor: Actor, guild: Guild): Promise<TeamMembership> {
  if (actor.kind !== 'user') return { role: await roleInGuild(actor, guild), isInvited: false };
  const teammate = await findTeammate(guild._id, actor.id);
  const role = (await owns(actor.id, guild)) ? 'owner' : await roleOf(actor.id, guild, teammate);
  return { role, isInvited: teammate?.state === 'invited' };
}

/** An actor's role in a guild, and whether it comes from an unused invitation. */
export interface TeamMembership {
  role: TeamRole | null;
  isInvited: boolean;
}

/**
 * The role that a person currently holds in `guild`. The server's Discord owner is `owner`. A teammate has their given
 * role. A member with Manage Server is `admin` while the guild allows that.
 */
export async function roleOfPerson(chatUserId: string, guild: Guild): Promise<TeamRole | null> {
  if (await owns(chatUserId, guild)) return 'owner';
  return roleOf(chatUserId, guild, await findTeammate(guild._id, chatUserId));
}

const owns = async (chatUserId: string, guild: Guild): Promise<boolean> =>
  chatUserId === guild.ownerId && (await confirmOwner(guild._id, guild.ownerId)) === chatUserId;

/** A person's role, unless they own the guild. */
async function roleOf(chatUserId: string, guild: Guild, teammate: Teammate | null): Promise<TeamRole | null> {
  const given = teammate?.role ?? null;
  if (holds(given, 'admin')) return given;
  return highestRole([given, await roleFromDiscord(chatUserId, guild)]);
}

/** `admin` for a member with Manage Server, while the guild allows that (AUTH-31). */
export async function roleFromDiscord(chatUserId: string, guild: Guild): Promise<'admin' | null> {
  const { trustDiscordAdmins } = await readSettings(guild._id);
  if (!trustDiscordAdmins) return null;
  const permissions = await readMemberPermissions(guild._id, chatUserId);
  return permissions !== null && managesGuild(permissions) ? 'admin' : null;
}

/**
 * The guild, and the actor with their role in it. Throws NotFound `guild_not_found` if they can't see it, and Forbidden
 * if their role is below `least`. Throws Forbidden `guild_suspended` for a suspended guild, unless `whileSuspended` is
 * set. `asRead`: the guild, if the request has already read it. An edge that admits an invited teammate activates them:
 * this is their first visit (`activateInvitation`).
 */
export async function enterGuild(
  actor: Actor,
  guildId: string,
  wish: { least: TeamRole; whileSuspended: boolean; asRead?: Guild | undefined },
): Promise<{ actor: Actor; guild: Guild; isInvited: boolean }> {
  const guild = wish.asRead ?? (await findPresentGuild(guildId));
  const { role, isInvited } = guild === null ? noMembership : await membershipIn(actor, guild);
  if (guild === null || role === null) throw new NotFound('guild_not_found', t('error.no_such_guild'));
  if (!holds(role, wish.least)) {
    throw new Forbidden('forbidden', t('error.role_needed', { least: wish.least, role }));
  }
  if (guild.state === 'suspended' && !wish.whileSuspended) throw guildSuspended(guild);
  return { actor: { ...actor, role }, guild, isInvited };
}

const noMembership: TeamMembership = { role: null, isInvited: false };

/**
 * Rereads a guild's suspension before a write that was decided earlier. Returns the current guild, or null if the bot
 * has left it. Throws Forbidden `guild_suspended`.
 */
export async function requireStillActive(guildId: string): Promise<Guild | null> {
  const guild = await findPresentGuild(guildId);
  if (guild?.state === 'suspended') throw guildSuspended(guild);
  return guild;
}

/**
 * Asks again whether an unfinished change's author may make it. Throws Forbidden `guild_suspended`, Forbidden for an
 * author with a lower role than at the change's time, and ChatPlatformUnavailable.
 */
export async function requireStillAllowed(guild: Guild, author: Actor): Promise<void> {
  if (guild.state === 'suspended') throw guildSuspended(guild);
  if (author.kind !== 'user' || author.platformAdmin) return;
  const { role: least } = author;
  if (least !== null && !holds(await roleInGuild(author, guild), lowerRole(least, 'admin')))
    throw new Forbidden('forbidden', 'The author of this change has lost the role that it needs.');
}

/** The refusal for every request in a suspended guild (API-75). */
export function guildSuspended(guild: Guild): Forbidden {
  const reason = guild.suspension?.reason;
  return new Forbidden('guild_suspended', `This server is suspended${reason === undefined ? '' : `: ${reason}`}.`);
}
