import { Forbidden, NotFound } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { confirmOwner } from '../../platforms/discord/guild-facts.js';
import { readMemberPermissions } from '../../platforms/discord/guild-members.js';
import { managesGuild } from '../../platforms/discord/permissions.js';
import type { Actor } from '../actors/actor.js';
import { highestRole, holds, type TeamRole } from '../actors/team-roles.js';
import { findPresentGuild, type Guild } from '../guilds/guild-service.js';
import { readSettings } from '../settings/settings-service.js';
import type { Teammate } from './teammate-model.js';
import { findTeammate } from './teammate-service.js';

/** The role that `actor` holds in `guild` now, or null (AUTH-33). Throws ChatPlatformUnavailable. */
export async function roleInGuild(actor: Actor, guild: Guild): Promise<TeamRole | null> {
  if (actor.kind === 'bot_token') {
    return actor.tokenGuildId === '*' || actor.tokenGuildId === guild._id ? actor.role : null;
  }
  return actor.kind === 'user' ? roleOfPerson(actor.id, guild) : null;
}

/**
 * The same, and whether the actor is invited into the team and has not been there yet: then the edge that lets them in
 * makes them active (`activateInvitation`). Decides only, and writes nothing.
 */
export async function standingInGuild(actor: Actor, guild: Guild): Promise<Standing> {
  if (actor.kind !== 'user') return { role: await roleInGuild(actor, guild), isInvited: false };
  const teammate = await findTeammate(guild._id, actor.id);
  const role = (await owns(actor.id, guild)) ? 'owner' : await roleOf(actor.id, guild, teammate);
  return { role, isInvited: teammate?.state === 'invited' };
}

/** What an actor is in a guild. */
export interface Standing {
  role: TeamRole | null;
  isInvited: boolean;
}

/**
 * The role that a person holds in `guild` now. The server's owner on Discord is `owner`. A teammate has the role they
 * were given. A member who may manage the server on Discord is `admin` while the guild trusts that.
 */
export async function roleOfPerson(chatUserId: string, guild: Guild): Promise<TeamRole | null> {
  if (await owns(chatUserId, guild)) return 'owner';
  return roleOf(chatUserId, guild, await findTeammate(guild._id, chatUserId));
}

const owns = async (chatUserId: string, guild: Guild): Promise<boolean> =>
  chatUserId === guild.ownerId && (await confirmOwner(guild._id, guild.ownerId)) === chatUserId;

/** The role of somebody who does not own the guild. */
async function roleOf(chatUserId: string, guild: Guild, teammate: Teammate | null): Promise<TeamRole | null> {
  const given = teammate?.role ?? null;
  if (holds(given, 'admin')) return given;
  return highestRole([given, await roleFromDiscord(chatUserId, guild)]);
}

/** `admin` for a member whom Discord lets manage the server, while the guild trusts that (AUTH-31). */
export async function roleFromDiscord(chatUserId: string, guild: Guild): Promise<'admin' | null> {
  const { trustDiscordAdmins } = await readSettings(guild._id);
  if (!trustDiscordAdmins) return null;
  const permissions = await readMemberPermissions(guild._id, chatUserId);
  return permissions !== null && managesGuild(permissions) ? 'admin' : null;
}

/**
 * The guild and the actor as they act in it. Throws NotFound `guild_not_found` when they cannot see it, Forbidden when
 * their role is less than `least`, Forbidden `guild_suspended` when it is suspended and `whileSuspended` is not set.
 * `asRead` is the guild, where the same request has read it already.
 * Whoever lets an invited teammate in makes them active, as this is their first visit (`activateInvitation`).
 */
export async function enterGuild(
  actor: Actor,
  guildId: string,
  wish: { least: TeamRole; whileSuspended: boolean; asRead?: Guild | undefined },
): Promise<{ actor: Actor; guild: Guild; isInvited: boolean }> {
  const guild = wish.asRead ?? (await findPresentGuild(guildId));
  const { role, isInvited } = guild === null ? noStanding : await standingInGuild(actor, guild);
  if (guild === null || role === null) throw new NotFound('guild_not_found', t('error.no_such_guild'));
  if (!holds(role, wish.least)) {
    throw new Forbidden('forbidden', t('error.role_needed', { least: wish.least, role }));
  }
  if (guild.state === 'suspended' && !wish.whileSuspended) throw guildSuspended(guild);
  return { actor: { ...actor, role }, guild, isInvited };
}

const noStanding: Standing = { role: null, isInvited: false };

/**
 * Reads again whether a guild is suspended, before a write that was decided a while ago. Gives it as it is now, null
 * when the bot has left it. Throws Forbidden `guild_suspended`.
 */
export async function requireStillActive(guildId: string): Promise<Guild | null> {
  const guild = await findPresentGuild(guildId);
  if (guild?.state === 'suspended') throw guildSuspended(guild);
  return guild;
}

/** The refusal that a suspended guild gives to everything (API-75). */
export function guildSuspended(guild: Guild): Forbidden {
  const reason = guild.suspension?.reason;
  return new Forbidden('guild_suspended', `This guild is suspended${reason === undefined ? '' : `: ${reason}`}.`);
}
