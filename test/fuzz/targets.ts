import { config, useConfig } from '../../src/config/config.js';
import type { Route } from '../../src/edges/http/route.js';
import { type Answer, type HttpSide, sessionHeaders } from '../edges/http/http-setup.js';
import { documentedName, type Operation } from '../edges/http/openapi-setup.js';
import { admitted, type FilledGuild, fillGuild, pathTo, validBody } from '../edges/http/walk-setup.js';
import { fillPayingGuild, preparations } from '../examples/preparations.js';
import { buildPerson } from '../support/build.js';
import { platformAdminId, world } from '../support/world.js';
import type { Target } from './fuzz-operation.js';
import type { Known } from './schema-arbitrary.js';

/** Reads share one guild; each writing operation gets its own guild. */
let read: Promise<FilledGuild> | undefined;

/** A prepared operation: its target, and its answer to a request that should work. */
export async function prepareTarget(
  http: HttpSide,
  route: Route,
  operation: Operation,
): Promise<{ target: Target; valid: Answer }> {
  const guild = await guildFor(http, route);
  const [, path = ''] = documentedName(route).split(' ');
  const { method, name } = route;
  await makeReady[name]?.(http, guild);
  const change = (await preparations[name]?.(guild)) ?? {};
  const { body } = Object.assign({}, validBody(route, guild), change);
  const credentials = async () => (isForPeople(route) ? undefined : change.headers) ?? credentialsOf(route, guild);
  const headers = change.headers ?? (await credentials());
  const ids = Object.assign({}, guild.ids, change.ids);
  const valid = await http.send(method, pathTo(route, Object.assign({}, guild, { ids })) + (needed[name] ?? ''), {
    headers,
    ...(body !== undefined && { body }),
  });
  change.afterwards?.();
  const known = await knownIn(guild, ids);
  return { target: { method, path, operation, known, credentials, example: body }, valid };
}

async function guildFor(http: HttpSide, { method, path }: Route): Promise<FilledGuild> {
  if (path.includes('/billing')) return await fillPayingGuild(http);
  useConfig({ ...config(), defaultPlan: 'enterprise' });
  if (method !== 'GET') return await fillGuild();
  read ??= fillGuild();
  return await read;
}

/** An operation's conditions beyond the examples' preparations. */
const makeReady: Readonly<Record<string, (http: HttpSide, guild: FilledGuild) => Promise<unknown>>> = {
  'POST /api/admin/guilds/:guildId/unsuspend': async (http, { guildId }) =>
    http.send('POST', `/api/admin/guilds/${guildId}/suspend`, {
      body: { reason: 'Spam' },
      headers: await sessionHeaders(platformAdminId),
    }),
  'PATCH /api/guilds/:guildId/team/:memberId': invite,
  'DELETE /api/guilds/:guildId/team/:memberId': invite,
};

async function invite(http: HttpSide, { guildId, ids, token }: FilledGuild): Promise<void> {
  const body = { chatUserId: ids.memberId, role: 'manager' };
  await http.send('POST', `/api/guilds/${guildId}/team/invite`, { body, headers: await token('owner') });
}

/** The query without which a right request is refused. */
const needed: Readonly<Record<string, string>> = {
  'DELETE /api/guilds/:guildId/groups/:groupId': '?cascade=true',
};

const isForPeople = ({ options: { access } }: Route): boolean => access.kind === 'person';

/** A new session each time, since operations end sessions. */
async function credentialsOf(route: Route, guild: FilledGuild): Promise<Record<string, string>> {
  return isForPeople(route) ? sessionHeaders(guild.ids.memberId ?? '') : admitted(route, guild);
}

async function knownIn({ ids, guildId }: FilledGuild, changed: Record<string, string>): Promise<Known> {
  const { discord, roblox } = await world();
  const stranger = await buildPerson();
  const people = [ids.memberId ?? '', stranger.chatUserId];
  const roles = [ids.roleId ?? '', guildId, discord.addRole(guildId, { name: 'Another' }).id];
  const groups = [ids.groupId ?? '', roblox.addGroup({ name: 'Some group' }).id];
  const games = [stranger.gameUserId];
  const named = Object.entries(changed).map(([name, id]) => [name, [id]]);
  return Object.fromEntries([
    ...named,
    ...['memberId', 'memberIds', 'chatUserId', 'actorId', 'targetId'].map((name) => [name, people]),
    ...['roleId', 'roleIds', 'roles', 'keepRoles', 'verified', 'unverified'].map((name) => [name, roles]),
    ...['groupId', 'groups', 'requiredGroupIds', 'deniedGroupIds'].map((name) => [name, groups]),
    ...['gameUserId', 'gameUserIds', 'deniedGameUserIds'].map((name) => [name, games]),
    ['ids', [people.join(), roles.join()]],
    ['gameUsername', [stranger.gameUsername, `#${stranger.gameUserId}`]],
    [
      'url',
      [`http://127.0.0.1:9/${guildId}`, 'https://example.com/', `https://www.roblox.com/groups/${ids.groupId}/x`],
    ],
    ['logChannelId', [discord.channel(guildId).id]],
    ['channelId', [discord.channel(guildId).id]],
    ['if-match', ['*', '"x"', 'W/"x"']],
    ['if-none-match', ['*', '"x"']],
    ['idempotency-key', ['one', 'two', 'x'.repeat(255)]],
    ['text', ['name,groupId,roles\nA,1,B', '{"1":{"binds":[]}}', '"=1","2"']],
    ['template', ['{username}', '{displayName} {rank}', '{']],
    ['returnTo', ['/servers', '//evil.example', 'https://evil.example']],
  ]);
}
