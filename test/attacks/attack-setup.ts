import { Teammates } from '../../src/core/access/teammate-model.js';
import { type TeamRole, teamRoles } from '../../src/core/actors/team-roles.js';
import type { Route } from '../../src/edges/http/route.js';
import { allRoutes, sessionHeaders, tokenHeaders } from '../edges/http/http-setup.js';
import { type FilledGuild, isOpen, isPage, mediaTypeOf, pathTo, validBody } from '../edges/http/walk-setup.js';
import { buildPerson, tokenFor } from '../support/build.js';
import { platformAdminId } from '../support/world.js';

type Headers = Record<string, string>;

/** A request sender, and their place in the guild under attack. */
export interface Caller {
  name: string;
  kind: 'nobody' | 'token' | 'session';
  role: TeamRole | null;
  isPlatformAdmin?: boolean;
  headers: Headers;
}

/** One caller of each kind: each role by token, by session and by the platform's token, and one without any. */
export async function everyCaller(mine: FilledGuild, other: FilledGuild): Promise<Caller[]> {
  const stranger = await buildPerson();
  const callers: Caller[] = [
    { name: 'nobody', kind: 'nobody', role: null, headers: {} },
    { name: 'a member', kind: 'session', role: null, headers: mine.member },
    { name: 'a stranger', kind: 'session', role: null, headers: await sessionHeaders(stranger.chatUserId) },
    { name: 'the owner of another guild', kind: 'session', role: null, headers: other.owner },
    { name: 'the owner', kind: 'session', role: 'owner', headers: mine.owner },
    {
      ...{ name: 'a platform admin', kind: 'session' as const, role: null, isPlatformAdmin: true },
      headers: await sessionHeaders(platformAdminId),
    },
  ];
  for (const role of teamRoles) {
    callers.push({ name: `a token of ${role}`, kind: 'token', role, headers: await mine.token(role) });
    callers.push({ name: `another’s ${role}`, kind: 'token', role: null, headers: await other.token(role) });
    const headers = tokenHeaders(await tokenFor('*', role));
    callers.push({ name: `the platform’s ${role}`, kind: 'token', role, headers });
    if (role === 'owner') continue;
    callers.push({ name: `a teammate of ${role}`, kind: 'session', role, headers: await teammateOf(mine, role) });
  }
  return callers;
}

async function teammateOf({ guildId }: FilledGuild, role: Exclude<TeamRole, 'owner'>): Promise<Headers> {
  const { chatUserId, username } = await buildPerson();
  const invited = { invitedBy: '100000000000000009', invitedAt: new Date() };
  await Teammates.insert({ guildId, chatUserId, username, role, state: 'active', ...invited });
  return sessionHeaders(chatUserId);
}

/** The status for a caller whose request is right except for an unknown parameter in its query. */
export function answerTo({ options: { access } }: Route, { kind, role, isPlatformAdmin }: Caller): number {
  const admitted = 400;
  if (access.kind === 'open' || access.kind === 'signed_by_provider') return admitted;
  if (kind === 'nobody') return 401;
  if (access.kind === 'platform_admin') return isPlatformAdmin === true ? admitted : 404;
  if (access.kind === 'person') return kind === 'session' ? admitted : 403;
  if (access.kind === 'signed_in') return admitted;
  if (role === null) return 404;
  if (access.kind === 'game') return 403;
  return teamRoles.indexOf(role) >= teamRoles.indexOf(access.least) ? admitted : 403;
}

export const changing = (): Route[] => allRoutes().filter((route) => !isOpen(route) && route.method !== 'GET');

/** Routes with body fields, for any sender. */
export const takingBody = (): Route[] =>
  allRoutes().filter(
    ({ method, options: { access, input } }) =>
      method !== 'GET' && access.kind !== 'signed_by_provider' && input?.body !== undefined,
  );

/** A right request for a route, with its path. */
export function rightRequest(route: Route, guild: FilledGuild, headers: Headers) {
  const valid = validBody(route, guild);
  return {
    path: pathTo(route, guild),
    sent: { ...valid, headers: { ...('body' in valid && mediaTypeOf(route)), ...headers } },
  };
}

export const takesJson = (route: Route): boolean => !isPage(route);

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Every copy of `value` in which one leaf is replaced by `put`, with the leaf's place. */
export function withEachLeaf(value: unknown, put: unknown, place: string = ''): [place: string, copy: unknown][] {
  if (!isTree(value)) return [[place, put]];
  return Object.entries(value).flatMap(([key, inner]) =>
    withEachLeaf(inner, put, `${place}/${key}`).map(([at, copy]): [string, unknown] => [
      at,
      replaced(value, key, copy),
    ]),
  );
}

/**
 * Every copy of `value` in which one object has the additional field `name`, which is no setter even as `__proto__`.
 */
export function withEachObject(
  value: unknown,
  name: string,
  put: unknown,
  place: string = '',
): [place: string, copy: unknown][] {
  if (!isTree(value)) return [];
  const inner = Object.entries(value).flatMap(([key, each]) =>
    withEachObject(each, name, put, `${place}/${key}`).map(([at, copy]): [string, unknown] => [
      at,
      replaced(value, key, copy),
    ]),
  );
  if (Array.isArray(value) || Object.hasOwn(value, name)) return inner;
  return [[`${place}/${name}`, Object.fromEntries([...Object.entries(value), [name, put]])], ...inner];
}

function replaced(value: Tree, key: string, put: unknown): unknown {
  if (Array.isArray(value)) return value.map((each, index) => (String(index) === key ? put : each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, name === key ? put : each]));
}
