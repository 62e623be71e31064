import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Json, OpenApiDocument, OpenApiOperation } from './openapi-document.js';
import { describeEvents, eventsTag } from './openapi-webhooks.js';
import { problemDocument } from './problem.js';
import type { AnswerShape, Route, RouteOptions } from './route.js';

const problemStatuses = [
  '400',
  '401',
  '402',
  '403',
  '404',
  '409',
  '410',
  '412',
  '413',
  '415',
  '422',
  '429',
  '500',
  '503',
];

/** Makes the OpenAPI document of `routes` from the very schemas that validate their requests and answers (SPEC §3). */
export function describeApi(routes: readonly Route[]): OpenApiDocument {
  const schemas: Record<string, Json> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    if (route.options.page === true) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, schemas) };
  }
  const webhooks = describeEvents((shape) => schemaOf(shape, 'output', schemas));
  schemaOf(problemDocument, 'output', schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rolelink',
      version: '1',
      description: 'Links chat users to game accounts and keeps their roles in step with their groups.',
    },
    security: [{ session: [] }, { botToken: [] }],
    tags: [eventsTag],
    paths,
    webhooks,
    components: { schemas, securitySchemes },
  };
}

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'rolelink_session', description: 'Sign in at /api/auth/login.' },
  botToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Bot <token>`: a signed bot token (JWT).',
  },
};

function describeRoute(route: Route, schemas: Record<string, Json>): OpenApiOperation {
  const { summary, access, input = {} } = route.options;
  const [, , resource = 'operations'] = route.path.split('/');
  return {
    operationId: operationIdOf(route),
    summary,
    description: describeAccess(route),
    tags: [resource.replace(/^:.*/, 'operations') || 'operations'],
    ...(access.kind === 'open' || access.kind === 'signed_by_provider' ? { security: [] } : {}),
    parameters: [
      ...parameters(route.params, 'path', schemas),
      ...parameters(input.query, 'query', schemas),
      ...parameters(input.headers, 'header', schemas),
    ],
    ...(input.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(input.body, 'input', schemas) } },
      },
    }),
    responses: { ...problems, ...describeAnswers(route.options, schemas) },
  };
}

/**
 * The operation id of an endpoint in camelCase: its method and the names in its path, where an id stands in the
 * singular for the list before it: `DELETE /api/guilds/:guildId/mappings/:mappingId` is `deleteGuildMapping`.
 */
function operationIdOf({ method, path }: Route): string {
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

function describeAccess({ options: { access } }: Route): string {
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
    case 'guild_role':
      return `Takes the role ${access.least} in the guild.`;
  }
}

function parameters(
  shape: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemas: Record<string, Json>,
): Json[] {
  return Object.entries(shape?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !(field as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(field as z.ZodType, 'input', schemas),
  }));
}

function describeAnswers({ answers, answerHeaders }: RouteOptions, schemas: Record<string, Json>): Json {
  const headers = answerHeaders && {
    headers: Object.fromEntries(
      Object.entries(answerHeaders).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
    ),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([status, shape]) => [
      status,
      { description: STATUS_CODES[status] ?? '', ...headers, ...contentOf(shape, schemas) },
    ]),
  );
}

function contentOf(shape: AnswerShape, schemas: Record<string, Json>): Json {
  if (shape === null) return {};
  if (typeof shape === 'string') return { content: { [shape]: { schema: { type: 'string' } } } };
  return { content: { 'application/json': { schema: schemaOf(shape, 'output', schemas) } } };
}

const problems: Json = Object.fromEntries(
  problemStatuses.map((status) => [
    status,
    {
      description: STATUS_CODES[status] ?? '',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

/** The JSON Schema of a zod schema; named ones (`.meta({ id })`) go into `schemas` and are referred to. */
function schemaOf(shape: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const suffix = io === 'input' ? 'Input' : '';
  const { $schema, $defs, ...schema } = z.toJSONSchema(shape, { io }) as Json;
  const point = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(point);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === '$ref' && typeof inner === 'string'
          ? [key, inner.replace(/^#\/\$defs\/(.*)$/, `#/components/schemas/$1${suffix}`)]
          : [key, point(inner)],
      ),
    );
  };
  for (const [name, named] of Object.entries(($defs ?? {}) as Json)) schemas[name + suffix] = point(named) as Json;
  return point(schema) as Json;
}
