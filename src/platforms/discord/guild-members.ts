import { container } from '@sapphire/framework';
import { type GuildMember as GatewayMember, GuildMemberFlags, RESTJSONErrorCodes, Routes, type User } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { ChatPlatformUnavailable, NotFound } from '../../lib/errors.js';
import { snowflake } from '../../lib/ids.js';
import { foundMembersAnswer, type MemberAnswer, memberAnswer, memberPageAnswer } from './discord-answers.js';
import { isKeptTrue, readGuildFacts } from './guild-facts.js';
import type { DiscordPerson, GuildMember } from './guild-member.js';
import { everyPermission, managesGuild } from './permissions.js';
import { DiscordForbids, GoneFromDiscord, readDiscord, readDiscordOrNull } from './rest/discord-call.js';
import { HeldBack } from './rest/invalid-request-guard.js';
import { keepReading, lastSeen, type SeenMember, seenNow } from './seen-members.js';
import { avatarUrl } from './signed-in-user.js';

export type { DiscordPerson, GuildMember } from './guild-member.js';

const { UnknownMember, UnknownUser } = RESTJSONErrorCodes;

/**
 * Reads a member from Discord without caches. Null if the person is not in the guild, which only Discord's code 10007
 * says, and for a bot. Throws NotFound `member_not_found` for an unknown user id (10013), GoneFromDiscord if the bot is
 * not in the guild, and ChatPlatformUnavailable.
 */
export function readMember(guildId: string, chatUserId: string): Promise<GuildMember | null> {
  return keepReading(guildId, chatUserId, async () => {
    const member = await readWireMember(guildId, chatUserId).catch(notFoundForNobody);
    return member === null || member.user.bot === true ? null : memberFromWire(member);
  });
}

/** `isRead`: Discord was asked, so that the person's names are true too. */
interface LookedUp extends SeenMember {
  isRead: boolean;
}

/**
 * A member for a page (API-176): as the gateway knows them, without a call, or else read; `fresh`: always read. A call
 * that would wait too long is replaced by what was last seen, unless `fresh`. Throws as `readMember` does, and HeldBack.
 */
export async function lookUpMember(guildId: string, chatUserId: string, fresh: boolean): Promise<LookedUp> {
  const known = fresh ? undefined : seenNow(guildId, chatUserId);
  if (known !== undefined) return { ...known, isRead: false };
  try {
    return { member: await readMember(guildId, chatUserId), asOf: clock.now(), isRead: true };
  } catch (error) {
    const last = error instanceof HeldBack && !fresh ? lastSeen(guildId, chatUserId) : undefined;
    if (last === undefined) throw error;
    return { ...last, isRead: false };
  }
}

function readWireMember(guildId: string, chatUserId: string): Promise<MemberAnswer | null> {
  const path = Routes.guildMember(guildId, chatUserId);
  return readDiscordOrNull(memberAnswer, UnknownMember, (rest) => rest.get(path));
}

/** Discord's maximum page size (limit in GET /guilds/{id}/members). */
const membersPerPage = 1000;

/**
 * A page with up to 1,000 members by id, after the id `after`, without bots. `next` is the id to continue after; null
 * on the last page. A refusal says that the bot has left: the gateway says so a moment later, and until then Discord
 * counts as away (RESYNC-57).
 */
export async function readMemberPage(
  guildId: string,
  after: string,
): Promise<{ members: GuildMember[]; next: string | null }> {
  const query = new URLSearchParams({ limit: String(membersPerPage), after });
  const asked = readDiscord(memberPageAnswer, (rest) => rest.get(Routes.guildMembers(guildId), { query }));
  const page = await asked.catch((cause: unknown) => {
    const isRefused = cause instanceof DiscordForbids || cause instanceof GoneFromDiscord;
    throw isRefused ? new ChatPlatformUnavailable(undefined, { cause }) : cause;
  });
  const people = page.filter(({ user }) => user.bot !== true);
  const last = page.length < membersPerPage ? undefined : page.at(-1);
  return { members: people.map(memberFromWire), next: last?.user.id ?? null };
}

export interface FoundPerson {
  chatUserId: string;
  username: string;
  nickname: string | null;
  avatarUrl: string | null;
}

/**
 * A guild's people, without bots, found by Discord's search for how their username, display name or nickname starts, or
 * by id. Throws ChatPlatformUnavailable.
 */
export async function findPeople(guildId: string, start: string, limit: number): Promise<FoundPerson[]> {
  const query = new URLSearchParams({ query: start, limit: String(limit) });
  const byId = snowflake.safeParse(start).success ? readWireMember(guildId, start).catch(nullForNobody) : null;
  const [found, itself] = await Promise.all([
    readDiscord(foundMembersAnswer, (rest) => rest.get(Routes.guildMembersSearch(guildId), { query })),
    byId,
  ]);
  const people = [...(itself ? [itself] : []), ...found].filter(({ user }) => user.bot !== true);
  return people.slice(0, limit).map(({ user, nick }) => ({
    chatUserId: user.id,
    username: user.username,
    nickname: nick ?? null,
    avatarUrl: avatarUrl(user.id, user.avatar ?? null),
  }));
}

/** An unknown user id does not prove that a member has left. */
function notFoundForNobody(error: unknown): never {
  if (!(error instanceof GoneFromDiscord) || error.discordCode !== UnknownUser) throw error;
  throw new NotFound('member_not_found', 'Nobody on Discord has this ID.');
}

/** An unknown user id is not in the guild. */
function nullForNobody(error: unknown): null {
  if (error instanceof GoneFromDiscord && error.discordCode === UnknownUser) return null;
  throw error;
}

/**
 * People without permission to manage a guild, so that repeated checks cost no Discord call. Only negative results are
 * cached: a lost permission takes effect immediately. A new one arrives through the gateway, or after this time.
 */
const nonManagers = new LRUCache<string, { permissions: bigint | null }>({
  max: 10_000,
  ttl: 30_000,
  ttlResolution: 0,
  perf: { now: () => clock.monotonicMs() },
});

/**
 * A person's roles in a guild, without @everyone; null if they are not in it. Read from the gateway's cache while the
 * gateway reports every change in the guild, otherwise over REST.
 */
export async function readMemberRoleIds(guildId: string, chatUserId: string): Promise<readonly string[] | null> {
  const guild = container.client.guilds.cache.get(guildId);
  const cached = guild && isKeptTrue(guild) ? guild.members.cache.get(chatUserId) : undefined;
  if (cached === undefined || cached.partial) return (await readMember(guildId, chatUserId))?.roleIds ?? null;
  return [...cached.roles.cache.keys()].filter((roleId) => roleId !== guildId);
}

/** A person's roles by the gateway's events in this session; none if it has not kept them. */
export function rolesSeenByGateway(guildId: string, chatUserId: string): readonly string[] {
  const guild = container.client.guilds.cache.get(guildId);
  const cached = guild && isKeptTrue(guild) ? guild.members.cache.get(chatUserId) : undefined;
  if (cached === undefined || cached.partial) return [];
  return [...cached.roles.cache.keys()].filter((roleId) => roleId !== guildId);
}

/**
 * A person's permissions in a guild; null if they are not in it. Read as in `readMemberRoleIds`. Up to 30 s old for a
 * person without Manage Server that the gateway does not report.
 */
export async function readMemberPermissions(guildId: string, chatUserId: string): Promise<bigint | null> {
  const guild = container.client.guilds.cache.get(guildId);
  const isReported = guild !== undefined && isKeptTrue(guild) && guild.members.cache.has(chatUserId);
  const key = `${guildId}:${chatUserId}`;
  const known = isReported ? undefined : nonManagers.get(key);
  if (known !== undefined) return known.permissions;
  const permissions = await permissionsOf(guildId, chatUserId);
  if (!isReported && (permissions === null || !managesGuild(permissions))) nonManagers.set(key, { permissions });
  return permissions;
}

async function permissionsOf(guildId: string, chatUserId: string): Promise<bigint | null> {
  const roleIds = await readMemberRoleIds(guildId, chatUserId);
  if (roleIds === null) return null;
  const { ownerId, roles } = await readGuildFacts(guildId);
  if (chatUserId === ownerId) return everyPermission;
  return [guildId, ...roleIds].reduce((all, id) => all | (roles.get(id)?.permissions ?? 0n), 0n);
}

export const personFromGateway = ({ id, username, avatar }: User): DiscordPerson => ({
  chatUserId: id,
  username,
  avatar,
});

export function memberFromGateway({ id, guild, user, nickname, roles, pending, flags }: GatewayMember): GuildMember {
  const roleIds = [...roles.cache.keys()].filter((roleId) => roleId !== guild.id);
  const profile = profileOf(user.globalName, user.primaryGuild?.tag);
  const person = { ...personFromGateway(user), chatUserId: id, ...arrivalOf(pending, flags?.bitfield ?? 0) };
  return { ...person, nickname, roleIds, ...profile };
}

/** A member whom a moderator has waved through has arrived, although Discord still calls them pending. */
function arrivalOf(pending: boolean | null | undefined, flags: number): Pick<DiscordPerson, 'pending' | 'isGuest'> {
  const isWavedThrough = (flags & GuildMemberFlags.BypassesVerification) !== 0;
  const isGuest = (flags & GuildMemberFlags.IsGuest) !== 0;
  return {
    ...(typeof pending === 'boolean' && { pending: pending && !isWavedThrough }),
    ...(isGuest && { isGuest: true as const }),
  };
}

function profileOf(displayName: string | null | undefined, tag: string | null | undefined): { profile?: string } {
  const shown = [displayName, tag].filter(Boolean);
  return shown.length === 0 ? {} : { profile: shown.join(' ') };
}

export function memberFromWire(member: MemberAnswer): GuildMember {
  const { user, nick, roles, pending, flags } = member;
  const { id: chatUserId, username, avatar = null, global_name: displayName, primary_guild: primaryGuild } = user;
  const profile = profileOf(displayName, primaryGuild?.tag);
  const person = { chatUserId, username, avatar, ...arrivalOf(pending, flags ?? 0) };
  return { ...person, nickname: nick ?? null, roleIds: roles, ...profile };
}
