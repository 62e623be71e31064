import { container } from '@sapphire/framework';
import { type Guild, type GuildMember, type Role, Routes, Status } from 'discord.js';
import { ChatPlatformUnavailable, ChatPlatformUnreadable } from '../../lib/errors.js';
import { guildAnswer, memberAnswer, type RoleAnswer } from './discord-answers.js';
import { readDiscord } from './rest/discord-call.js';
import { roleIconUrl } from './signed-in-user.js';

/** A Discord role with the data needed for sync planning. */
export interface DiscordRole {
  roleId: string;
  name: string;
  position: number;
  /** Belongs to an integration, a bot, Linked Roles or a subscription, so it can't be given. */
  managed: boolean;
  permissions: bigint;
  /** 0xrrggbb; 0 or absent for none. */
  color?: number;
  iconUrl?: string | null;
}

/** A guild's current state on Discord: its roles and the bot's permissions. */
export interface GuildFacts {
  guildId: string;
  ownerId: string;
  roles: ReadonlyMap<string, DiscordRole>;
  /** `roleIds` excludes @everyone. */
  bot: { roleIds: readonly string[]; permissions: bigint; highestRole: DiscordRole };
}

/**
 * A guild's roles and the bot's place among them. Read from the gateway's cache if this process has the guild's shard,
 * otherwise over REST. Throws GoneFromDiscord if the bot is not in the guild, and ChatPlatformUnavailable.
 */
export async function readGuildFacts(guildId: string): Promise<GuildFacts> {
  return keptGuildFacts(guildId) ?? readGuildFactsAfresh(guildId);
}

/** The facts from this process's gateway cache, if that is up to date; else undefined. */
export function keptGuildFacts(guildId: string): GuildFacts | undefined {
  const cached = container.client.guilds.cache.get(guildId);
  const bot = cached?.members.me;
  return cached && bot && isKeptTrue(cached) ? factsFromCache(cached, bot) : undefined;
}

/**
 * Whether the gateway has sent the whole guild and reports its changes. While the shard is disconnected, the cache is
 * outdated.
 */
export const isKeptTrue = (guild: Guild): boolean =>
  guild.available && guild.roles.cache.has(guild.id) && guild.shard.status === Status.Ready;

/** Whether this process's gateway connection reports a guild's changes at the moment. */
export function isKeptByGateway(guildId: string): boolean {
  const cached = container.client.guilds.cache.get(guildId);
  return cached !== undefined && isKeptTrue(cached);
}

/** A member's roles as far as the gateway's cache has them. */
export function keptRoleIds(guildId: string, roleIds: readonly string[]): string[] {
  const roles = container.client.guilds.cache.get(guildId)?.roles.cache;
  return roleIds.filter((roleId) => roles?.has(roleId) === true);
}

/**
 * A guild's owner: `known`, from gateway events, unless this process has lost the guild's shard. Then it is read from
 * Discord. Throws GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function confirmOwner(guildId: string, known: string): Promise<string> {
  const cached = container.client.guilds.cache.get(guildId);
  if (cached === undefined || isKeptTrue(cached)) return known;
  return (await readDiscord(guildAnswer, (rest) => rest.get(Routes.guild(guildId)))).owner_id;
}

function factsFromCache(guild: Guild, bot: GuildMember): GuildFacts {
  const botRoleIds = [...bot.roles.cache.keys()].filter((roleId) => roleId !== guild.id);
  const roles = guild.roles.cache.map((role) => ({
    roleId: role.id,
    name: role.name,
    position: role.rawPosition,
    managed: role.managed || isDiscords(role.tags),
    permissions: role.permissions.bitfield,
    color: role.colors.primaryColor,
    iconUrl: roleIconUrl(role.id, role.icon),
  }));
  return assemble(guild.id, guild.ownerId, roles, botRoleIds);
}

/** The facts without the cache. Unavailable until the bot has first connected, since its own id is unknown before. */
export async function readGuildFactsAfresh(guildId: string): Promise<GuildFacts> {
  const { id } = container.client;
  if (id === null) throw new ChatPlatformUnavailable('The bot is not connected to Discord yet.');
  const [guild, member] = await Promise.all([
    readDiscord(guildAnswer, (rest) => rest.get(Routes.guild(guildId))),
    readDiscord(memberAnswer, (rest) => rest.get(Routes.guildMember(guildId, id))),
  ]);
  return assemble(guildId, guild.owner_id, guild.roles.map(roleFromWire), member.roles);
}

/** Whether Discord itself gives a role, by Linked Roles or by purchase. `managed` does not cover these. */
function isDiscords(tags: Role['tags']): boolean {
  const { guildConnections, availableForPurchase, subscriptionListingId } = tags ?? {};
  return guildConnections === true || availableForPurchase === true || subscriptionListingId !== undefined;
}

function roleFromWire({ id, color, icon, tags, ...role }: RoleAnswer): DiscordRole {
  const marks = ['guild_connections', 'available_for_purchase', 'subscription_listing_id'];
  const managed = role.managed || marks.some((mark) => Object.hasOwn(tags ?? {}, mark));
  return { roleId: id, ...role, managed, color: color ?? 0, iconUrl: roleIconUrl(id, icon ?? null) };
}

function assemble(guildId: string, ownerId: string, list: DiscordRole[], botRoleIds: string[]): GuildFacts {
  const roles = new Map(list.map((role) => [role.roleId, role]));
  // Every server has @everyone.
  if (!roles.has(guildId)) throw new ChatPlatformUnreadable();
  const held = [guildId, ...botRoleIds].flatMap((roleId) => roles.get(roleId) ?? []);
  const highestRole = held.reduce((a, b) => (isAbove(a, b) ? a : b));
  const permissions = held.reduce((all, role) => all | role.permissions, 0n);
  return { guildId, ownerId, roles, bot: { roleIds: botRoleIds, permissions, highestRole } };
}

/** Discord's role order: the higher position wins; between equals, the older role with the smaller id. */
export function isAbove(a: DiscordRole, b: DiscordRole): boolean {
  return a.position === b.position ? BigInt(a.roleId) < BigInt(b.roleId) : a.position > b.position;
}
