import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiContentObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Access } from '../access.js';
import { problemDocument } from '../problem.js';
import { refusalsOf } from '../refusals.js';
import { headersOf, type Route, type RouteOptions } from '../route.js';
import { type Example, exampleOf } from './openapi-examples.js';
import { withUsualDescriptions } from './openapi-fields.js';
import { describeEvents, eventsTag } from './openapi-webhooks.js';

/** Builds the OpenAPI document of `routes` from the same schemas that validate their requests and answers (API-51). */
export function describeApi(routes: readonly Route[]): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    if (route.options.page === true) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Rolelink',
      version: '1',
      description: 'Links chat users to game accounts and keeps their roles in step with their groups.',
      contact: { name: 'Who runs this Rolelink' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The Rolelink that this document comes from.' }],
    security: [{ session: [] }, { botToken: [] }],
    tags: [...tagsOf(routes), eventsTag],
    paths,
    webhooks: describeEvents(),
    components: { schemas: { Problem: problemDocument }, securitySchemes },
  };
  return withUsualDescriptions(createDocument(document, { override: withoutDefault }));
}

/**
 * A request field with a default is optional. Type generators read `default` as a guarantee that the field is present,
 * and would require it. So the default goes into the description.
 */
function withoutDefault({ jsonSchema, io }: Parameters<ZodOpenApiOverride>[0]): void {
  if (io !== 'input' || !('default' in jsonSchema)) return;
  const words = `Left out: ${JSON.stringify(jsonSchema.default)}.`;
  jsonSchema.description = [jsonSchema.description, words].filter(Boolean).join(' ');
  delete jsonSchema.default;
}

const text: oas31.SchemaObject = { type: 'string' };

const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
  session: { type: 'apiKey', in: 'cookie', name: 'rolelink_session', description: 'Sign in at /api/auth/login.' },
  botToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Bot <token>`: a signed bot token (JWT).',
  },
};

/** Each resource's description, in document order. */
const resources: Readonly<Record<string, string>> = {
  auth: 'Signing in and out, and what is stored about the person.',
  verification: "Proving that a game account is one's own.",
  guilds: 'The servers that the caller sees.',
  overview: 'How a guild is doing.',
  settings: 'The settings document of a guild.',
  config: 'All that a guild has set up, in one document.',
  members: 'The people of a guild, and their game accounts.',
  groups: 'The Roblox groups that are attached to a guild.',
  mappings: 'Which roles a guild gives to whom.',
  roles: 'The roles of the server on Discord.',
  sync: 'The changes that a resync would make.',
  resync: 'Bringing all members in step.',
  logs: 'Every change in a guild.',
  team: 'Who may do what in a guild.',
  tokens: 'Bot tokens of a guild.',
  webhooks: "Where a guild's events are sent.",
  deliveries: 'Single events on their way to a webhook.',
  differences: 'The changes that syncs would make to members of a guild that only observes.',
  billing: 'The plan of a guild.',
  admin: "For the platform's own admins.",
  operations: 'For who runs the service.',
};

/** A route's resource: the path segment after the guild, or after `/api`. */
function tagOf({ path }: Pick<Route, 'path'>): string {
  const [, inGuild] = /^\/api\/guilds\/:guildId\/(\w+)/.exec(path) ?? [];
  const [, below = ''] = /^\/api\/(\w+)/.exec(path) ?? [];
  return [inGuild, below].find((name) => name !== undefined && name in resources) ?? 'operations';
}

function tagsOf(routes: readonly Route[]): oas31.TagObject[] {
  const used = new Set(routes.map(tagOf));
  return Object.entries(resources).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []));
}

/** Every answer's headers, documented for successful ones and for rate-limit refusals. */
const commonHeaders = headersFrom({
  'x-request-id': 'Of this request, for questions to the operator.',
  'RateLimit-Limit': 'Requests that the limit nearest to its end allows.',
  'RateLimit-Remaining': 'Requests that are left of it.',
  'RateLimit-Reset': 'Seconds until it begins anew.',
});
const retryAfter = headersFrom({ 'Retry-After': 'Seconds until it makes sense to ask again.' });

function headersFrom(described: Readonly<Record<string, string>>): Record<string, oas31.HeaderObject> {
  const headers = Object.entries(described).map(([name, description]) => [name, { description, schema: text }]);
  return Object.fromEntries(headers);
}

function describeRoute(route: Route): ZodOpenApiOperationObject {
  const { summary, access, input: { query, body } = {} } = route.options;
  const header = headersOf(route.options);
  const operationId = operationIdOf(route);
  const example = exampleOf(operationId);
  return {
    operationId,
    summary,
    description: describeAccess(access),
    tags: [tagOf(route)],
    ...(access.kind === 'open' || access.kind === 'signed_by_provider' ? { security: [] } : {}),
    requestParams: { path: pathOf(route, example), ...(query && { query }), ...(header && { header }) },
    ...(body && { requestBody: { required: true, content: contentOf(body, example?.body, route.options) } }),
    responses: { ...describeRefusals(route), ...describeAnswers(route.options, example) },
  };
}

function pathOf({ params }: Route, example: Example | undefined): z.ZodObject {
  const fields = Object.entries<z.ZodType>(params.shape).map(([name, schema]) => {
    const known = example?.path[name];
    return [name, known === undefined ? schema : schema.meta({ param: { example: known } })];
  });
  return z.strictObject(Object.fromEntries(fields));
}

/**
 * An endpoint's operation id in camelCase: its method and the names in its path. An id turns the list before it into a
 * singular: `DELETE /api/guilds/:guildId/mappings/:mappingId` is `deleteGuildMapping`.
 */
export function operationIdOf({ method, path }: Route): string {
  const names = path
    .replace(/^\/(?:api\/)?/, '')
    .replaceAll(/(\w+?)(?:s|ies)\/(?=:\1y?Id\b)/g, '')
    .replaceAll(/:(?:(\w+)Id)?\w*/g, '$1');
  const words = [
    method.toLowerCase(),
    ...names.split(/\W/).map((name) => name.charAt(0).toUpperCase() + name.slice(1)),
  ];
  return words.join('');
}

function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'open':
      return 'Needs no credentials.';
    case 'signed_in':
      return 'Takes a session or a bot token.';
    case 'person':
      return 'Takes a session.';
    case 'platform_admin':
      return 'For platform admins; not found for others.';
    case 'signed_by_provider':
      return 'Proves itself by a signature over the raw body.';
    case 'game':
      return 'For a bot token of the role `game` or `verifier` of the guild, and nobody else.';
    case 'guild_role': {
      const also = access.byRanker ? 'ranker' : access.byGame ? 'game' : undefined;
      return `Takes the role ${access.least} in the guild${also ? `, or a bot token of the role \`${also}\`` : ''}.`;
    }
  }
}

function describeAnswers(
  options: RouteOptions,
  example: Example | undefined,
): Record<string, ZodOpenApiResponseObject> {
  const { answers, answerHeaders } = options;
  const described = Object.entries(answers).map(([status, shape]) => {
    const named = { ...(status === '201' && { Location: locationHeader }), ...answerHeaders };
    const headers = { ...headersFrom(named), ...commonHeaders };
    const known = Number(status) === example?.status ? example.answer : undefined;
    return [
      status,
      {
        description: STATUS_CODES[status] ?? '',
        headers,
        ...(shape !== null && { content: contentOf(shape, known, options) }),
      },
    ];
  });
  return Object.fromEntries(described);
}

const locationHeader = 'The path or address of what was created.';

function contentOf(
  shape: z.ZodType | string,
  example: unknown,
  { yaml = false }: RouteOptions,
): ZodOpenApiContentObject {
  const shown = example !== undefined && { example };
  if (typeof shape === 'string') return { [shape]: { schema: text, ...shown } };
  return { 'application/json': { schema: shape, ...shown }, ...(yaml && { 'application/yaml': { schema: shape } }) };
}

function describeRefusals(route: Route): Record<string, ZodOpenApiResponseObject> {
  const described = [...refusalsOf(route)].map(([status, codes]) => {
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] };
    return [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${codes.join(', ')}`,
        ...(status === 429 && { headers: retryAfter }),
        content: { 'application/problem+json': { schema } },
      },
    ];
  });
  return Object.fromEntries(described);
}
