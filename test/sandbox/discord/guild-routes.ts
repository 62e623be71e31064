import { PermissionFlagsBits } from 'discord-api-types/v10';
import { z } from 'zod';
import { DiscordError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import { addRole, removeBot } from './guild-changes.js';
import { everyonePermissions } from './permissions.js';
import { channelOf, guildOf, requirePermission } from './rest-lookup.js';
import type { StoredGuild } from './sandbox-model.js';
import { channelJson, guildJson, ownGuildJson, roleJson } from './wire.js';

/** Guilds that the bot is in, with their roles and channels; and the asking person's guilds. */
export function guildRoutes(state: DiscordState): Endpoint[] {
  const bot = { credential: 'bot' } as const;
  return [
    { endpoint: 'GET /guilds/:guildId', ...bot, handle: (call) => getGuild(state, call) },
    {
      endpoint: 'GET /guilds/:guildId/roles',
      ...bot,
      handle: (call) => ok([...guildOf(state, call).roles.values()].map(roleJson)),
    },
    {
      endpoint: 'GET /guilds/:guildId/roles/member-counts',
      ...bot,
      handle: (call) => ok(memberCounts(guildOf(state, call))),
    },
    { endpoint: 'POST /guilds/:guildId/roles', ...bot, handle: (call) => createRole(state, call) },
    {
      endpoint: 'GET /guilds/:guildId/channels',
      ...bot,
      handle: (call) => ok([channelJson(state, state.channel(guildOf(state, call).channelId))]),
    },
    {
      endpoint: 'GET /channels/:channelId',
      ...bot,
      handle: (call) => ok(channelJson(state, channelOf(state, call))),
    },
    { endpoint: 'DELETE /users/@me/guilds/:guildId', ...bot, handle: (call) => leaveGuild(state, call) },
    {
      endpoint: 'GET /users/@me/guilds',
      credential: 'bot or bearer',
      handle: (call) => listOwnGuilds(state, call),
    },
  ];
}

/** A guild's keys missing in the gateway's events. */
const onlyOverRest = { home_header: null, nsfw: false };

/** A guild without the bot looks like one that does not exist. */
function getGuild(state: DiscordState, call: Call) {
  const guild = state.guilds.get(param(call, 'guildId'));
  if (!guild || !state.hasBot(guild)) throw new DiscordError('unknownGuild');
  const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 0 };
  return ok({ ...guildJson(guild), ...onlyOverRest, ...(call.query.get('with_counts') === 'true' ? counts : {}) });
}

/** Everyone with each role, bots too; @everyone is left out. */
function memberCounts({ id, roles, members }: StoredGuild): Record<string, number> {
  const counts = new Map([...roles.keys()].filter((roleId) => roleId !== id).map((roleId) => [roleId, 0]));
  for (const { roleIds } of members.values())
    for (const roleId of roleIds) counts.set(roleId, (counts.get(roleId) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Discord's documentation: 250 roles a guild. */
const mostRoles = 250;

const roleBody = z.looseObject({
  name: z.string().max(100).default('new role'),
  permissions: z.union([z.int(), z.string().regex(/^\d+$/)]).optional(),
  color: z.int().min(0).max(0xffffff).default(0),
});

/** New roles are the lowest. One without `permissions` gets @everyone's. */
function createRole(state: DiscordState, call: Call) {
  const guild = guildOf(state, call);
  requirePermission(state, guild, PermissionFlagsBits.ManageRoles);
  const { name, permissions, color } = parseForm(roleBody, call.body);
  if (guild.roles.size >= mostRoles) throw new DiscordError('tooManyRoles');
  const given = permissions === undefined ? everyonePermissions : BigInt(permissions);
  return ok(roleJson(addRole(state, guild, { name, permissions: given, color })));
}

function leaveGuild(state: DiscordState, call: Call) {
  removeBot(state, guildOf(state, call));
  return noContent;
}

function listOwnGuilds(state: DiscordState, call: Call) {
  if (call.bearer && !call.bearer.scopes.includes('guilds')) throw new DiscordError('missingScope');
  const userId = call.bearer?.userId ?? state.bot.id;
  const counted = call.query.get('with_counts') === 'true';
  const after = BigInt(call.query.get('after') ?? 0);
  const guilds = [...state.guilds.values()].filter(({ id, members }) => members.has(userId) && BigInt(id) > after);
  const page = guilds.slice(0, Number(call.query.get('limit') ?? 200));
  return ok(
    page.map((guild) => ({
      ...ownGuildJson(guild, userId),
      ...(counted ? { approximate_member_count: guild.members.size, approximate_presence_count: 0 } : {}),
    })),
  );
}
