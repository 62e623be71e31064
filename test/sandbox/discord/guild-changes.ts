import { clock } from '../../../src/lib/clock.js';
import type { DiscordState } from './discord-state.js';
import { joinGuild } from './member-changes.js';
import { everyonePermissions, usualBotPermissions } from './permissions.js';
import type { RoleTags, SandboxGuild, StoredGuild, StoredRole } from './sandbox-model.js';
import { createdGuildJson, guildJson, roleJson } from './wire.js';

export interface GuildInput {
  name: string;
  ownerId: string;
  /** Whether the bot is in it from the start; true when left out. */
  withBot?: boolean;
  /** What the bot's own role allows; this service's usual permissions when left out. */
  botPermissions?: bigint;
}

export interface RoleInput {
  name: string;
  permissions?: bigint;
  /** Where it goes, from 1 (just above @everyone, the default) up; roles from there on move up by one. */
  position?: number;
  managed?: boolean;
  color?: number;
  tags?: RoleTags;
  isSealed?: boolean;
}

/** Makes a guild with @everyone, the text channel `general` and its owner as its first member. */
export function createGuild(state: DiscordState, input: GuildInput): StoredGuild {
  const id = state.ids.nextAged();
  const channelId = state.ids.nextAged();
  const everyone = { id, name: '@everyone', permissions: everyonePermissions, position: 0, managed: false, color: 0 };
  const guild: StoredGuild = {
    id,
    name: input.name,
    ownerId: state.user(input.ownerId).id,
    roles: new Map([[id, everyone]]),
    members: new Map(),
    channelId,
    botPermissions: input.botPermissions ?? usualBotPermissions,
    audit: [],
  };
  state.guilds.set(id, guild);
  state.channels.set(channelId, { id: channelId, name: 'general', guildId: id, messages: new Map() });
  joinGuild(state, guild, input.ownerId);
  if (input.withBot ?? true) addBot(state, guild);
  return guild;
}

/** Lets the bot into the guild, with its own managed role just above @everyone. */
export function addBot(state: DiscordState, guild: StoredGuild): void {
  if (state.hasBot(guild)) throw new Error(`The bot is already in the guild ${guild.id}.`);
  const role = insertRole(state, guild, {
    name: state.application.name,
    permissions: guild.botPermissions,
    managed: true,
    botId: state.bot.id,
  });
  const member = { userId: state.bot.id, roleIds: [role.id], nickname: null, joinedAt: clock.now() };
  guild.members.set(state.bot.id, member);
  guild.memberOrder = undefined;
  state.dispatch({ event: 'GUILD_CREATE', guildId: guild.id, data: createdGuildJson(state, guild, 50) });
}

/** Throws the bot out; its role goes with it. */
export function removeBot(state: DiscordState, guild: StoredGuild): void {
  const role = botRole(state, guild);
  guild.members.delete(state.bot.id);
  guild.memberOrder = undefined;
  guild.roles.delete(role.id);
  state.dispatch({ event: 'GUILD_DELETE', guildId: guild.id, data: { id: guild.id } });
}

/** The bot's own role in the guild; an error when the bot is not in it. */
export function botRole(state: DiscordState, guild: StoredGuild): StoredRole {
  const role = [...guild.roles.values()].find((candidate) => candidate.botId === state.bot.id);
  if (!role) throw new Error(`The bot is not in the guild ${guild.id}.`);
  return role;
}

export function updateGuild(
  state: DiscordState,
  guild: StoredGuild,
  change: { name?: string; ownerId?: string },
): void {
  if (change.name !== undefined) guild.name = change.name;
  if (change.ownerId !== undefined) guild.ownerId = state.member(guild.id, change.ownerId).userId;
  tellGuild(state, guild, 'GUILD_UPDATE', guildJson(guild));
}

export function addRole(state: DiscordState, guild: StoredGuild, input: RoleInput): StoredRole {
  const others = positions(guild);
  const role = insertRole(state, guild, input);
  tellGuild(state, guild, 'GUILD_ROLE_CREATE', { guild_id: guild.id, role: roleJson(role) });
  tellMoved(state, guild, others);
  return role;
}

export function updateRole(
  state: DiscordState,
  guild: StoredGuild,
  role: StoredRole,
  change: { name?: string; permissions?: bigint; isSealed?: boolean },
): void {
  if (change.isSealed !== undefined) role.isSealed = change.isSealed;
  if (change.name !== undefined) role.name = change.name;
  if (change.permissions !== undefined) role.permissions = change.permissions;
  tellGuild(state, guild, 'GUILD_ROLE_UPDATE', { guild_id: guild.id, role: roleJson(role) });
}

/** Puts the role at `position` (1 is just above @everyone); each role that moves by it is reported. */
export function moveRole(state: DiscordState, guild: StoredGuild, role: StoredRole, position: number): void {
  if (role.id === guild.id) throw new Error('@everyone cannot be moved.');
  const before = positions(guild);
  placeRole(guild, role, position);
  tellMoved(state, guild, before);
}

/** Deletes the role. Members lose it without their own event, as on Discord. */
export function deleteRole(state: DiscordState, guild: StoredGuild, role: StoredRole): void {
  if (role.id === guild.id || role.managed) throw new Error(`The role ${role.name} cannot be deleted.`);
  guild.roles.delete(role.id);
  for (const member of guild.members.values()) {
    member.roleIds = member.roleIds.filter((id) => id !== role.id);
  }
  tellGuild(state, guild, 'GUILD_ROLE_DELETE', { guild_id: guild.id, role_id: role.id });
}

/** A copy of what tests see of a guild. */
export function viewGuild(guild: StoredGuild): SandboxGuild {
  const bot = [...guild.roles.values()].find((role) => role.botId !== undefined);
  return { id: guild.id, name: guild.name, ownerId: guild.ownerId, ...(bot ? { botRoleId: bot.id } : {}) };
}

function insertRole(state: DiscordState, guild: StoredGuild, input: RoleInput & { botId?: string }): StoredRole {
  const role: StoredRole = {
    id: state.ids.nextAged(),
    name: input.name,
    permissions: input.permissions ?? 0n,
    position: 0,
    managed: input.managed ?? false,
    color: input.color ?? 0,
    ...(input.botId ? { botId: input.botId } : {}),
    ...(input.tags ? { tags: input.tags } : {}),
    ...(input.isSealed ? { isSealed: true } : {}),
  };
  guild.roles.set(role.id, role);
  placeRole(guild, role, input.position ?? 1);
  return role;
}

function placeRole(guild: StoredGuild, role: StoredRole, position: number): void {
  const others = [...guild.roles.values()].filter((other) => other.id !== guild.id && other.id !== role.id);
  others.sort((a, b) => a.position - b.position);
  others.splice(Math.max(0, position - 1), 0, role);
  others.forEach((other, index) => {
    other.position = index + 1;
  });
}

function positions(guild: StoredGuild): Map<string, number> {
  return new Map([...guild.roles.values()].map((role) => [role.id, role.position]));
}

function tellMoved(state: DiscordState, guild: StoredGuild, before: Map<string, number>): void {
  for (const role of guild.roles.values()) {
    const old = before.get(role.id);
    if (old === undefined || old === role.position) continue;
    tellGuild(state, guild, 'GUILD_ROLE_UPDATE', { guild_id: guild.id, role: roleJson(role) });
  }
}

function tellGuild(state: DiscordState, guild: StoredGuild, event: string, data: unknown): void {
  if (state.hasBot(guild)) state.dispatch({ event, guildId: guild.id, data });
}
