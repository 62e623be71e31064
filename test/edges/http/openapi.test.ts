import { createHash } from 'node:crypto';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import sinon from 'sinon';
import { z } from 'zod';
import { config, useConfig } from '../../../src/config/config.js';
import { open } from '../../../src/edges/http/access.js';
import type { Answer as RouteAnswer } from '../../../src/edges/http/answer.js';
import { type AnswerShape, defineRoute, headersOf, type Route } from '../../../src/edges/http/route.js';
import { logger } from '../../../src/lib/logger.js';
import { type Answer, allRoutes, expectProblem, type HttpSide, routeContext, startHttp } from './http-setup.js';
import {
  compilerFor,
  documentedName,
  expectDocumentedAnswer,
  type Json,
  type OpenApi,
  operationOf,
  operationsOf,
  printOpenApi,
} from './openapi-setup.js';
import {
  admitted,
  asking,
  everyRoute,
  type FilledGuild,
  fillGuild,
  isOpen,
  isPage,
  pathTo,
  validBody,
} from './walk-setup.js';

/** Every `$ref` anywhere in a document. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
}

// API-51, API-53
describe('The OpenAPI document', () => {
  // Filling a guild and walking all routes takes long on a slow machine.
  let http: HttpSide;
  let document: OpenApi;
  let compile: (schema: Json) => ValidateFunction;
  let guild: FilledGuild;

  const expectDocumented = (route: Route, answer: Answer): void =>
    expectDocumentedAnswer(operationOf(document, route), answer, compile);

  const call = async (route: Route, path = pathTo(route, guild)) =>
    http.send(route.method, path, { ...validBody(route, guild), headers: await admitted(route, guild) });

  before(async () => {
    [http, guild] = [await startHttp(), await fillGuild()];
    document = (await http.send('GET', '/api/openapi.json')).json;
    compile = compilerFor(document);
  });
  afterEach(() => sinon.restore());
  after(() => http.close());

  it('The OpenAPI document is well-formed OpenAPI 3.1', () => {
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
    expect(document.info.title).to.equal('Rolelink');
    expect(document.info.version).to.be.a('string').and.not.empty;
    for (const { name, path, operation } of operationsOf(document)) {
      const { parameters, responses, security = document.security } = operation;
      expect(name).to.match(/^(GET|POST|PUT|PATCH|DELETE) \/[\w/{}.-]*$/);
      expect(operation.summary, name).to.be.a('string').and.not.empty;
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(
        inPath.map((parameter) => `{${parameter.name}}`),
        name,
      ).to.have.members(path.match(/\{\w+\}/g) ?? []);
      for (const parameter of parameters) {
        expect(parameter.in, name).to.be.oneOf(['path', 'query', 'header']);
        if (parameter.in === 'path') expect(parameter.required, name).to.equal(true);
      }
      const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(places).size, name).to.equal(places.length);
      for (const [status, { description }] of Object.entries(responses)) {
        expect(status, name).to.match(/^[2-5]\d\d$/);
        expect(description, `${name} ${status}`).to.be.a('string').and.not.empty;
      }
      for (const scheme of security.flatMap(Object.keys)) {
        expect(document.components.securitySchemes, name).to.have.property(scheme);
      }
    }
  });

  it('The OpenAPI document names its server, and describes each resource by which it groups operations', () => {
    expect(document.servers.map(({ url }) => url)).to.deep.equal(['/']);
    const tags = operationsOf(document).map(({ operation }) => operation.tags);
    const described = document.tags.map(({ name }) => name).filter((name) => name !== 'events');
    expect(new Set(tags.flat())).to.deep.equal(new Set(described));
    for (const { description } of document.tags) expect(description).to.be.a('string').and.not.empty;
    const tagOf = Object.fromEntries(operationsOf(document).map(({ name, operation }) => [name, operation.tags]));
    expect(tagOf).to.deep.include({
      'GET /api/guilds/{guildId}': ['guilds'],
      'POST /api/guilds/{guildId}/mappings/import': ['mappings'],
      'GET /api/guilds/{guildId}/logs/export': ['logs'],
      'GET /healthz': ['operations'],
    });
  });

  it('The OpenAPI document names the headers of every answer', () => {
    for (const { name, operation } of operationsOf(document)) {
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        const common = ['x-request-id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
        if (/^[23]/.test(status)) expect(headers, `${name} ${status}`).to.include.keys(common);
        expect('Retry-After' in headers, `${name} ${status}`).to.equal(status === '429');
      }
    }
  });

  it('The OpenAPI document has no dangling reference, and only schemas that compile', () => {
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(refsIn(document)).not.to.have.length(0);
    expect(known).to.include.members(refsIn(document));
    expect(refsIn(document), 'schemas that nothing refers to').to.include.members(known);
    for (const { operation } of operationsOf(document)) {
      const { parameters, requestBody, responses } = operation;
      const contents = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
      for (const { schema } of [...parameters, ...contents]) compile(schema);
    }
  });

  it('The OpenAPI document has every route of the API exactly once, under its own operation id', () => {
    const documented = operationsOf(document).map(({ name }) => name);
    const served = allRoutes().filter((route) => !isPage(route));
    expect(documented).to.have.members(served.map(documentedName));
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids) expect(id).to.match(/^(get|post|put|patch|delete)[A-Z][A-Za-z]+$/);
  });

  it('Operation ids are made of method and path', () => {
    const ids = Object.fromEntries(operationsOf(document).map(({ name, operation }) => [name, operation.operationId]));
    expect(ids).to.include({
      'GET /healthz': 'getHealthz',
      'GET /api/openapi.json': 'getOpenapiJson',
      'GET /api/guilds/{guildId}': 'getGuild',
      'PATCH /api/guilds/{guildId}/team/{memberId}': 'patchGuildTeamMember',
      'POST /api/guilds/{guildId}/mappings': 'postGuildMappings',
      'POST /api/guilds/{guildId}/deliveries/{deliveryId}/redeliver': 'postGuildDeliveryRedeliver',
      'POST /api/guilds/{guildId}/webhooks/{webhookId}/rotate-secret': 'postGuildWebhookRotateSecret',
      'GET /api/verification/session/{token}': 'getVerificationSession',
    });
  });

  it('The OpenAPI document has the statuses and parameters that each route declares', async () => {
    await everyRoute(
      (route) => !isPage(route),
      async (route) => {
        const { answers, input } = route.options;
        const { responses, parameters, requestBody, security } = operationOf(document, route);
        expect(Object.keys(responses)).to.include.members([
          ...Object.keys(answers),
          ...['400', '429', '500'],
          ...(isOpen(route) ? [] : ['401', '502', '503']),
        ]);
        for (const [place, part] of [
          ['query', input?.query],
          ['header', headersOf(route.options)],
        ] as const) {
          const named = parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
          expect(named).to.deep.equal(Object.keys(part?.shape ?? {}));
        }
        expect(requestBody !== undefined).to.equal(input?.body !== undefined);
        expect(security).to.deep.equal(isOpen(route) ? [] : undefined);
      },
    );
  });

  it('Every GET answers as the OpenAPI document defines', async () => {
    await everyRoute(
      (route) => !isPage(route) && route.method === 'GET',
      async (route) => {
        const answer = await call(route);
        expect(answer.status).to.be.oneOf(Object.keys(route.options.answers).map(Number));
        expectDocumented(route, answer);
        expectDocumented(route, await call(route, asking('surprise=1', route, guild)));
      },
    );
  });

  it('Every change answers as the OpenAPI document defines', async () => {
    const routes = allRoutes().filter((route) => !isPage(route) && route.method !== 'GET');
    // Removals last, so that there is something to change until then.
    const ordered = [...routes].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    await everyRoute(
      () => true,
      async (route) => {
        const refused = await http.send(route.method, pathTo(route, guild));
        // A payload without the provider's signature is a bad request.
        expectProblem(refused, isOpen(route) ? 400 : 401);
        expectDocumented(route, refused);
        expectDocumented(route, await call(route));
      },
      { routes: ordered, atOnce: 1 },
    );
  });

  it('The schemas of the OpenAPI document take the bodies that the routes take, and no others', async () => {
    await everyRoute(
      (route) => !isPage(route) && route.options.input?.body !== undefined,
      async (route) => {
        const validate = compile(operationOf(document, route).requestBody?.content['application/json']?.schema ?? {});
        const { body } = validBody(route, guild);
        expect(validate(body), JSON.stringify(validate.errors)).to.equal(true);
        for (const bad of [[], null, 5, 'text', Object.assign({}, body, { surprise: 1 })]) {
          expect(validate(bad), JSON.stringify(bad)).to.equal(false);
        }
      },
    );
  });

  it('The command line prints the OpenAPI document alone, with nothing set', async () => {
    const { document: printed, stderr } = await printOpenApi();
    expect(stderr).to.equal('');
    expect(printed).to.deep.equal(document);
  });

  it('The OpenAPI document can be read as a page, without scripts', async () => {
    const { status, text, headers } = await http.send('GET', '/docs');
    expect(status).to.equal(200);
    expect(text).to.match(/^<!doctype html>\n<html lang="en">/);
    expect(text).not.to.match(/<script|javascript:|\son\w+=|style="/i);
    for (const { name, operation } of operationsOf(document)) {
      expect(text).to.contain(`<article id="${operation.operationId}">`).and.to.contain(`<code>${name}</code>`);
      const [method, path = ''] = name.split(' ');
      const short = path.replace(/^\/api\/(guilds\/\{guildId\}\/)?/, '');
      const link = `<a href="#${operation.operationId}">${method} ${short}</a>`;
      expect(text.replaceAll('<wbr>', '')).to.contain(link);
      const summary = operation.summary.replaceAll("'", '&#39;').replaceAll(/`(\w+)`/g, '<code>$1</code>');
      expect(text).to.contain(summary);
    }
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !anchors.has(id))).to.deep.equal([]);
    // The first screen is a call beside its answer (DASH-157).
    const [first = ''] = /<h2 id="token">.*?<\/section>/s.exec(text) ?? [];
    expect(first).to.match(/curl -i .*HTTP\/1.1 200 OK\n\{\n {2}&quot;guildId&quot;: /s);
    expect(text).to.contain('<code>guild_not_found</code>').and.to.contain('Example of the answer');
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).to.contain(`style-src 'sha256-${hash}'`);
  });
});

describe('Documented answers', () => {
  afterEach(() => sinon.restore());

  /** A route in no file that documents one thing and answers another. */
  function saying(answers: Record<number, AnswerShape>, answer: RouteAnswer): Route {
    const endpoint = 'GET /says';
    const Says = defineRoute({ endpoint, summary: 'Says', access: open, answers, handle: () => answer });
    return new Says(routeContext());
  }

  async function answerOf(answers: Record<number, AnswerShape>, answer: RouteAnswer): Promise<Answer> {
    const side = await startHttp({ routes: [saying(answers, answer)] });
    const got = await side.send('GET', '/says');
    await side.close();
    return got;
  }

  const documented = { 200: z.strictObject({ name: z.string() }) };
  const wrong: [string, Record<number, AnswerShape>, RouteAnswer][] = [
    ['a wrong type', documented, { status: 200, body: { name: 5 } }],
    ['a field too many', documented, { status: 200, body: { name: 'a', secret: 'b' } }],
    ['a body that is missing', documented, { status: 200 }],
    ['a body where there is none', { 204: null }, { status: 204, body: { name: 'a' } }],
    ['another status', documented, { status: 201, body: { name: 'a' } }],
  ];

  for (const [fault, answers, answer] of wrong) {
    it(`An answer outside its documentation is a fault in tests: ${fault}`, async () => {
      const logged = sinon.stub(logger, 'error');
      expectProblem(await answerOf(answers, answer), 500, 'internal_error');
      expect(String(logged.firstCall.args[0])).not.to.equal('');
    });
  }

  it('An answer that fits its documentation passes in tests', async () => {
    const { status, json } = await answerOf(documented, { status: 200, body: { name: 'a' } });
    expect({ status, json }).to.deep.equal({ status: 200, json: { name: 'a' } });
  });

  it('An answer outside its documentation reaches the user outside of tests', async () => {
    const inTests = config();
    useConfig({ ...inTests, checkAnswers: false });
    try {
      expect((await answerOf(documented, { status: 200, body: { name: 5 } })).status).to.equal(200);
    } finally {
      useConfig(inTests);
    }
  });
});
