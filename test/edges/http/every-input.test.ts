import { expect } from 'chai';
import { z } from 'zod';
import { guildRole } from '../../../src/edges/http/access.js';
import { noContent } from '../../../src/edges/http/answer.js';
import { defineRoute, type Route } from '../../../src/edges/http/route.js';
import { type Answer, allRoutes, type HttpSide, routeContext, startHttp } from './http-setup.js';
import { tryOddValues } from './malformed-values.js';
import {
  admitted,
  asking,
  everyRoute,
  expectRefusal,
  expectUnchanged,
  type FilledGuild,
  fillGuild,
  isPage,
  mediaTypeOf,
  pathTo,
  settled,
  validBody,
} from './walk-setup.js';

/** OAuth lets a provider add anything to a callback's query (RFC 6749 §4.1.2). */
const takesAnyQuery = (route: Route): boolean => /^GET .*\/callback$/.test(route.name);
/** A provider's body is bytes under a signature; its route's test sends it wrong ones. */
const takesBody = ({ method, options: { access } }: Route): boolean =>
  method !== 'GET' && access.kind !== 'signed_by_provider';

interface ObjectSchema {
  properties: Record<string, { const?: unknown }>;
  required?: string[];
}

/** The alternatives that a body may be, each as an object's JSON Schema. */
function alternativesOf(schema: z.ZodType): ObjectSchema[] {
  const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as Record<string, unknown>;
  const { $ref, $defs } = json;
  const root = typeof $ref === 'string' ? ($defs as Record<string, object>)[$ref.split('/').at(-1) ?? ''] : json;
  const { anyOf, oneOf } = root as { anyOf?: ObjectSchema[]; oneOf?: ObjectSchema[] };
  return anyOf ?? oneOf ?? [root as ObjectSchema];
}

/** The fields that must be there, for each alternative in a route's body. */
const requiredFields = ({ options: { input } }: Route): string[][] =>
  alternativesOf(input?.body ?? z.strictObject({})).map(({ required = [] }) => [...required].sort());

const nonsense = { no: ['field', 'takes', 'this'] };

/** For each alternative, a body with wrong types in all fields except the one that selects the alternative. */
function wronglyTyped(schema: z.ZodType): { body: Record<string, unknown>; wrong: string[] }[] {
  return alternativesOf(schema).map(({ properties }) => {
    const told = Object.entries(properties).filter(([, property]) => property.const !== undefined);
    const wrong = Object.keys(properties).filter((name) => properties[name]?.const === undefined);
    const body = { ...Object.fromEntries(wrong.map((name) => [name, nonsense])) };
    return { body: { ...body, ...Object.fromEntries(told.map(([name, { const: value }]) => [name, value])) }, wrong };
  });
}

/** The fields, of body or query, that a problem document names; for a page, nothing can be said. */
function fieldsNamed(answer: Answer): string[] {
  const issues: { path: string; message: string }[] = answer.json.errors;
  for (const { message } of issues) expect(message).not.to.equal('');
  return issues.map(({ path }) => path);
}

/** In a form, `name[no][]=field` is an object, which no field takes. */
const asForm = (body: Record<string, unknown>): string =>
  Object.entries(body)
    .map(([name, value]) => (typeof value === 'string' ? `${name}=${value}` : `${name}[no][]=field`))
    .join('&');

describe('The input of every route', () => {
  // Filling a guild and walking all routes takes long on a slow machine.
  let http: HttpSide;
  let guild: FilledGuild;
  let untouched: string;

  const send = async (route: Route, body: unknown, headers: Record<string, string> = {}, path?: string) =>
    http.send(route.method, path ?? pathTo(route, guild), {
      ...(body !== undefined && { body }),
      headers: { ...(body !== undefined && mediaTypeOf(route)), ...(await admitted(route, guild)), ...headers },
    });

  /** Sends a body with every field wrong, and then a right one with an unknown field. */
  async function sendBadFields(route: Route): Promise<void> {
    const encode = (body: Record<string, unknown>) => (isPage(route) ? asForm(body) : body);
    const schema = route.options.input?.body;
    for (const { body, wrong } of schema === undefined ? [] : wronglyTyped(schema)) {
      // A form that is a single button has no field that could be wrong.
      if (wrong.length === 0) continue;
      const answer = await send(route, encode(body));
      expectRefusal(route, answer, 400, 'invalid_request');
      if (isPage(route)) continue;
      const named = new Set(fieldsNamed(answer).map((path) => path.split('.')[0]));
      expect([...named]).to.have.members(wrong);
    }
    const { body: valid } = validBody(route, guild);
    const unknown = { surprise: 1, alarm: 2 };
    const surprising = typeof valid === 'string' ? `${valid}&surprise=1&alarm=2` : Object.assign({}, valid, unknown);
    const answer = await send(route, surprising);
    expectRefusal(route, answer, 400, 'invalid_request');
    if (!isPage(route)) expect(fieldsNamed(answer)).to.have.members(['surprise', 'alarm']);
  }

  before(async () => {
    [http, guild] = [await startHttp(), await fillGuild()];
    untouched = await settled([guild]);
  });
  afterEach('nothing was changed', async () => {
    await expectUnchanged([guild], untouched);
  });
  after(() => http.close());

  // API-2
  it('Every route refuses wrong and unknown fields, and names each', async () => {
    await everyRoute(takesBody, sendBadFields);
  });

  it('Every route refuses a body without its required fields, and names each', async () => {
    await everyRoute(
      (route) => !isPage(route) && requiredFields(route).every((fields) => fields.length > 0),
      async (route) => {
        const answer = await send(route, {});
        expectRefusal(route, answer, 400, 'invalid_request');
        const possible = requiredFields(route).map((fields) => fields.join());
        expect(possible).to.include(fieldsNamed(answer).sort().join());
      },
    );
  });

  it('Every route refuses a body that is no object, no JSON, or poisoned', async () => {
    await everyRoute(
      (route) => takesBody(route) && !isPage(route),
      async (route) => {
        for (const body of ['[]', '[{}]', 'null', '"text"', '5', '{"a":', '{}{}', '{"__proto__":{"a":1}}', '\u0000']) {
          expectRefusal(route, await send(route, body), 400, 'invalid_request');
        }
      },
    );
  });

  // API-1
  it('Every route refuses a body that is too large, or of another media type or encoding', async () => {
    await everyRoute(takesBody, async (route) => {
      const { body: valid = {} } = validBody(route, guild);
      const text = typeof valid === 'string' ? valid : JSON.stringify(valid);
      const tooMuch = (route.options.yaml ? 1_100 : 70) * 1024;
      const large =
        typeof valid === 'string' ? `${valid}&${'x'.repeat(tooMuch)}` : text.replace(/}$/, `${' '.repeat(tooMuch)}}`);
      expectRefusal(route, await send(route, large), 413, 'body_too_large');
      const others = [
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/xml',
        isPage(route) ? 'application/json' : 'application/x-www-form-urlencoded',
      ];
      for (const type of others) {
        expectRefusal(route, await send(route, text, { 'content-type': type }), 415, 'unsupported_media_type');
      }
      expectRefusal(route, await send(route, text, { 'content-encoding': 'zstd' }), 415, 'unsupported_media_type');
      expectRefusal(route, await send(route, text, { 'content-encoding': 'gzip' }), 400, 'invalid_request');
    });
  });

  // API-2
  it('Every route refuses unknown query parameters, and names each', async () => {
    await everyRoute(
      (route) => !takesAnyQuery(route),
      async (route) => {
        const path = asking('surprise=1&alarm[]=2', route, guild);
        const { body } = validBody(route, guild);
        const answer = await send(route, body, {}, path);
        expectRefusal(route, answer, 400, 'invalid_request');
        if (!isPage(route)) expect(fieldsNamed(answer)).to.have.members(['query.surprise', 'query.alarm[]']);
      },
    );
  });

  it('Every route refuses query parameters that are given twice, and names each', async () => {
    await everyRoute(
      (route) => route.options.input?.query !== undefined,
      async (route) => {
        const names = Object.keys(route.options.input?.query?.shape ?? {});
        const path = `${pathTo(route, guild)}?${names.map((name) => `${name}=1&${name}=2`).join('&')}`;
        const answer = await send(route, validBody(route, guild).body, {}, path);
        expectRefusal(route, answer, 400, 'invalid_request');
        if (!isPage(route)) expect(fieldsNamed(answer)).to.have.members(names.map((name) => `query.${name}`));
      },
    );
  });

  it('No value of a query parameter breaks the service', async () => {
    await tryOddValues(http, guild, 4);
  });

  it('A refusal names the mistakes of query and body together', async () => {
    const route = allRoutes().find(({ name }) => name === 'POST /api/guilds/:guildId/mappings');
    if (route === undefined) throw new Error('no such route');
    const body = { condition: { type: 'group_rank', groupId: 'x', min: 9, max: 300 }, roleIds: ['1', '2'], more: 1 };
    const answer = await send(route, body, {}, asking('surprise=1', route, guild));
    expect(fieldsNamed(answer)).to.have.members([
      'query.surprise',
      'condition.groupId',
      'condition.max',
      'roleIds.0',
      'roleIds.1',
      'more',
    ]);
  });

  it('The walk through the inputs finds a route that takes too much', async () => {
    const Lax = defineRoute({
      endpoint: 'POST /api/guilds/:guildId/lax',
      summary: 'Takes everything',
      access: guildRole('viewer'),
      input: { body: z.looseObject({ name: z.any() }) },
      answers: { 204: null },
      handle: () => noContent(),
    });
    const lax = new Lax(routeContext());
    const strict = http;
    http = await startHttp({ routes: [lax] });
    const walk = everyRoute(() => true, sendBadFields, { routes: [lax] });
    const verdict = await walk.then(() => 'held', String);
    await http.close();
    http = strict;
    expect(verdict).to.contain('POST /api/guilds/:guildId/lax');
  });
});
