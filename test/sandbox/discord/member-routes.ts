import { PermissionFlagsBits } from 'discord-api-types/v10';
import { z } from 'zod';
import { clock } from '../../../src/lib/clock.js';
import { DiscordError, fieldError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import { changeMember, leaveGuild, type MemberChange } from './member-changes.js';
import { findMembers, pageMembers } from './member-search.js';
import { isAboveMember, isAboveRole, permissionsOf } from './permissions.js';
import { guildOf, memberOf, requirePermission, roleOf } from './rest-lookup.js';
import type { StoredGuild, StoredMember, StoredRole } from './sandbox-model.js';
import { memberJson } from './wire.js';

const mostPerPage = 1000;
const id = z.string().regex(/^\d+$/);

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(mostPerPage).default(1),
  after: id.default('0'),
});

const searchSchema = z.object({
  query: z.string().min(1).max(100),
  limit: z.coerce.number().int().min(1).max(mostPerPage).default(1),
});

/** Discord trims nicknames and leaves out what can't be seen; of nothing it makes none. */
const nickname = z
  .string()
  .refine((text) => [...text].length <= 32, 'Must be 32 or fewer in length.')
  .nullish()
  .transform((text) =>
    typeof text === 'string' ? text.replace(/[\u200b-\u200f\u2060\ufeff]/gu, '').trim() || null : text,
  );

const patchSchema = z.object({
  nick: nickname,
  roles: z
    .array(id)
    .refine((ids) => new Set(ids).size === ids.length, 'The set already contains this value')
    .nullish(),
});

/** Members: reading, paging, searching, and the changes that the bot may make within its permissions and rank. */
export function memberRoutes(state: DiscordState): Endpoint[] {
  const bot = { credential: 'bot' } as const;
  return [
    { endpoint: 'GET /guilds/:guildId/members', ...bot, handle: (call) => listMembers(state, call) },
    { endpoint: 'GET /guilds/:guildId/members/search', ...bot, handle: (call) => searchMembers(state, call) },
    { endpoint: 'GET /guilds/:guildId/members/:userId', ...bot, handle: (call) => getMember(state, call) },
    { endpoint: 'PATCH /guilds/:guildId/members/@me', ...bot, handle: (call) => patchSelf(state, call) },
    { endpoint: 'PATCH /guilds/:guildId/members/:userId', ...bot, handle: (call) => patchMember(state, call) },
    { endpoint: 'DELETE /guilds/:guildId/members/:userId', ...bot, handle: (call) => kick(state, call) },
    {
      endpoint: 'PUT /guilds/:guildId/members/:userId/roles/:roleId',
      ...bot,
      handle: (call) => setRole(state, call, (ids, roleId) => [...new Set([...ids, roleId])]),
    },
    {
      endpoint: 'DELETE /guilds/:guildId/members/:userId/roles/:roleId',
      ...bot,
      handle: (call) => setRole(state, call, (ids, roleId) => ids.filter((held) => held !== roleId)),
    },
    {
      endpoint: 'GET /users/@me/guilds/:guildId/member',
      credential: 'bearer',
      handle: (call) => ownMember(state, call),
    },
  ];
}

function listMembers(state: DiscordState, call: Call) {
  const { limit, after } = parseForm(pageSchema, Object.fromEntries(call.query));
  return ok(pageMembers(guildOf(state, call), after, limit).map((member) => memberJson(state, member)));
}

function searchMembers(state: DiscordState, call: Call) {
  const { query, limit } = parseForm(searchSchema, Object.fromEntries(call.query));
  return ok(findMembers(state, guildOf(state, call), query, limit).map((member) => memberJson(state, member)));
}

function getMember(state: DiscordState, call: Call) {
  return ok(memberJson(state, memberOf(state, guildOf(state, call), call)));
}

function patchMember(state: DiscordState, call: Call) {
  const guild = guildOf(state, call);
  const member = memberOf(state, guild, call);
  const { nick, roles } = parseForm(patchSchema, call.body);
  const change: MemberChange = {};
  if (nick !== undefined && nick !== member.nickname) {
    requireNicknameRight(state, guild, member);
    const refusal = nick && state.nicknameFilter(nick, state.user(member.userId));
    if (refusal) throw fieldError(['nick'], 'AUTO_MODERATION_NICKNAME_BLOCKED', refusal);
    const isName = state.dropsOwnNames && nick === state.user(member.userId).username;
    change.nickname = isName ? null : nick;
  }
  if (roles !== undefined) {
    requireRoleRights(state, guild, member, roles ?? []);
    change.roleIds = roles ?? [];
  }
  changeMember(state, guild, member, change, by(state, call));
  return ok(memberJson(state, member));
}

function kick(state: DiscordState, call: Call) {
  const guild = guildOf(state, call);
  const member = memberOf(state, guild, call);
  requirePermission(state, guild, PermissionFlagsBits.KickMembers);
  if (!isAboveMember(guild, state.bot.id, member.userId)) throw new DiscordError('missingPermissions');
  const changes = { rolesAdded: [], rolesRemoved: [] };
  guild.audit.push({ action: 'MEMBER_KICK', userId: member.userId, ...by(state, call), at: clock.now(), changes });
  leaveGuild(state, guild, member.userId);
  return noContent;
}

function patchSelf(state: DiscordState, call: Call) {
  const guild = guildOf(state, call);
  const { nick } = parseForm(patchSchema.pick({ nick: true }), call.body);
  requirePermission(state, guild, PermissionFlagsBits.ChangeNickname);
  const member = state.member(guild.id, state.bot.id);
  changeMember(state, guild, member, nick === undefined ? {} : { nickname: nick }, by(state, call));
  return ok({ ...memberJson(state, member), permissions: permissionsOf(guild, state.bot.id).toString() });
}

function setRole(state: DiscordState, call: Call, apply: (held: string[], roleId: string) => string[]) {
  const guild = guildOf(state, call);
  const member = memberOf(state, guild, call);
  const role = roleOf(guild, call);
  requireRoleRight(state, guild, role);
  changeMember(state, guild, member, { roleIds: apply(member.roleIds, role.id) }, by(state, call));
  return noContent;
}

function ownMember(state: DiscordState, call: Call) {
  if (!call.bearer?.scopes.includes('guilds.members.read')) throw new DiscordError('missingScope');
  const guild = state.guilds.get(param(call, 'guildId'));
  const member = guild?.members.get(call.bearer.userId);
  if (!member) throw new DiscordError('unknownGuild');
  return ok(memberJson(state, member));
}

/** Manage Roles, and each role that changes must be one that the bot may hand out. */
function requireRoleRights(state: DiscordState, guild: StoredGuild, member: StoredMember, wanted: string[]): void {
  requirePermission(state, guild, PermissionFlagsBits.ManageRoles);
  const roles = wanted.map((roleId) => guild.roles.get(roleId));
  if (roles.some((role) => !role || role.id === guild.id)) throw new DiscordError('invalidRole');
  const added = wanted.filter((roleId) => !member.roleIds.includes(roleId));
  const removed = member.roleIds.filter((roleId) => !wanted.includes(roleId));
  for (const roleId of [...added, ...removed]) requireRoleRight(state, guild, state.role(guild.id, roleId));
}

/** Manage Roles, and a role below the bot's highest that no integration manages. */
function requireRoleRight(state: DiscordState, guild: StoredGuild, role: StoredRole): void {
  requirePermission(state, guild, PermissionFlagsBits.ManageRoles);
  const isDiscords = role.managed || role.tags !== undefined || role.isSealed === true;
  if (isDiscords || role.id === guild.id || !isAboveRole(guild, state.bot.id, role)) {
    throw new DiscordError('missingPermissions');
  }
}

/** Manage Nicknames, and a member whose highest role is below the bot's. */
function requireNicknameRight(state: DiscordState, guild: StoredGuild, member: StoredMember): void {
  requirePermission(state, guild, PermissionFlagsBits.ManageNicknames);
  if (member.userId !== state.bot.id && !isAboveMember(guild, state.bot.id, member.userId)) {
    throw new DiscordError('missingPermissions');
  }
}

function by(state: DiscordState, call: Call) {
  return { executorId: state.bot.id, reason: call.reason };
}
