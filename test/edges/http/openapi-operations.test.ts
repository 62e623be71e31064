import { validate as validateByReadme } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import sinon from 'sinon';
import { guildRole, open } from '../../../src/edges/http/access.js';
import { operationIdOf } from '../../../src/edges/http/openapi/openapi.js';
import { type Example, exampleOf } from '../../../src/edges/http/openapi/openapi-examples.js';
import { refusalsOf } from '../../../src/edges/http/refusals.js';
import { defineRoute, type Route } from '../../../src/edges/http/route.js';
import { Conflict } from '../../../src/lib/errors.js';
import { logger } from '../../../src/lib/logger.js';
import { allRefusalCodes } from '../../../src/lib/refusal-codes.js';
import { allRoutes, expectProblem, routeContext, startHttp } from './http-setup.js';
import { compilerFor, type Json, type OpenApi, operationOf, printOpenApi } from './openapi-setup.js';
import { everyRoute, isPage, parametersOf } from './walk-setup.js';

/** A route in no file that refuses with `busy`. */
function refusing(refusals: readonly 'busy'[]): Route {
  const handle = () => {
    throw new Conflict('busy', 'Try again in a moment.');
  };
  const Refusing = defineRoute({
    ...{ endpoint: 'GET /refuses', summary: 'Refuses', access: open },
    ...{ answers: { 200: null }, refusals, handle },
  });
  return new Refusing(routeContext());
}

describe('The operations of the OpenAPI document', () => {
  let document: OpenApi;
  let compile: ReturnType<typeof compilerFor>;

  const isDocumented = (route: Route): boolean => !isPage(route);

  function expectFit(schema: Json, value: unknown): void {
    const validate = compile(schema);
    expect(validate(value), JSON.stringify(validate.errors)).to.equal(true);
  }

  before(async () => {
    ({ document } = await printOpenApi());
    compile = compilerFor(document);
  });
  afterEach(() => sinon.restore());

  it('Two validators find the OpenAPI document valid', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect(valid, JSON.stringify(errors)).to.equal(true);
    const other = await validateByReadme(structuredClone(document) as never);
    expect(other.valid, JSON.stringify(other)).to.equal(true);
    expect(other.warnings).to.deep.equal([]);
  });

  it('Every operation lists its refusals by status, with their codes', async () => {
    await everyRoute(isDocumented, async (route) => {
      const { responses } = operationOf(document, route);
      const refused = Object.entries(responses).flatMap(([status, { content = {} }]) => {
        const schema = content['application/problem+json']?.schema;
        return schema === undefined ? [] : [[Number(status), schema] as const];
      });
      const listed = refused.map(([status, schema]) => [status, Object(schema).allOf[1].properties.code.enum]);
      expect(listed).to.deep.equal([...refusalsOf(route)]);
      for (const [status, schema] of refused) {
        const [code] = refusalsOf(route).get(status) ?? [];
        const problem = { type: 'about:blank', title: '', status, detail: '', requestId: '' };
        expect(compile(schema)({ ...problem, code })).to.equal(true);
        expect(compile(schema)({ ...problem, code: 'method_not_allowed' })).to.equal(false);
        expect(responses[status]?.description).to.contain(String(code));
      }
    });
  });

  it('No operation names a refusal twice', async () => {
    await everyRoute(isDocumented, async (route) => {
      const { refusals = [] } = route.options;
      const bare = refusalsOf({ ...route, options: { ...route.options, refusals: [] } } as unknown as Route);
      const derived = new Set<string>([...bare.values()].flat());
      expect(refusals.filter((code) => derived.has(code))).to.deep.equal([]);
      expect(new Set(refusals).size).to.equal(refusals.length);
    });
    expect(new Set(allRefusalCodes).size).to.equal(allRefusalCodes.length);
  });

  it('A route that refuses with a code outside its list answers 500 in tests', async () => {
    const logged = sinon.stub(logger, 'error');
    for (const [refusals, status, code] of [
      [['busy'], 409, 'busy'],
      [[], 500, 'internal_error'],
    ] as const) {
      const side = await startHttp({ routes: [refusing(refusals)] });
      expectProblem(await side.send('GET', '/refuses'), status, code);
      await side.close();
    }
    expect(logged.callCount).to.equal(1);
  });

  it('An operation’s refusals include those that follow from its access and input', () => {
    const access = guildRole('manager');
    const Guarded = defineRoute({
      ...{ endpoint: 'PUT /api/guilds/:guildId/mappings/:mappingId', summary: 'Guarded', access },
      ...{ answers: { 200: null }, repeatable: true, handle: () => ({ status: 200 }) },
    });
    const refusals = Object.fromEntries(refusalsOf(new Guarded(routeContext())));
    expect(refusals).to.deep.equal({
      400: ['invalid_request'],
      401: ['unauthenticated'],
      403: ['forbidden', 'guild_suspended', 'origin_mismatch'],
      404: ['gone_from_discord', 'guild_not_found', 'mapping_not_found'],
      409: ['missing_permission', 'outcome_unknown', 'request_in_progress'],
      413: ['body_too_large'],
      415: ['unsupported_media_type'],
      422: ['idempotency_key_reused'],
      429: ['rate_limited'],
      500: ['internal_error'],
      502: ['chat_platform_unavailable'],
      503: ['chat_platform_unavailable', 'database_unavailable'],
    });
  });

  it('Every operation has an example of a request and its answer, which fit their schemas', async () => {
    await everyRoute(isDocumented, async (route) => {
      const example = exampleOf(operationIdOf(route)) as Example;
      expect(example, 'record it: npm run examples').to.be.an('object');
      const { parameters, requestBody, responses } = operationOf(document, route);
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(Object.fromEntries(inPath.map(({ name, example: shown }) => [name, shown]))).to.deep.equal(example.path);
      expect(Object.keys(example.path)).to.have.members(parametersOf(route));
      const body = requestBody?.content['application/json'];
      expect(body?.example).to.deep.equal(example.body);
      if (body !== undefined) expectFit(body.schema, example.body);
      expect(Object.keys(route.options.answers)).to.include(String(example.status));
      const [answer] = Object.values(responses[example.status]?.content ?? {});
      expect(answer?.example).to.deep.equal(example.answer);
      if (answer !== undefined) expectFit(answer.schema, example.answer);
    });
  });

  it('No example shows a secret, or an address of the machine where it was recorded', () => {
    const examples = JSON.stringify(allRoutes().map((route) => exampleOf(operationIdOf(route)) ?? null));
    const kept = examples.replaceAll('eyJhbGciOiJIUzI1NiJ9.eyJleGFtcGxlIjp0cnVlfQ.RVhBTVBMRQ', '');
    expect(kept).not.to.match(/eyJ[\w-]{8,}|localhost|127\.0\.0\.1|hunter2/);
    const random = kept.match(/(?<![\w-])[\w-]{43}(?![\w-])|whsec_[\w+/=]+/g) ?? [];
    const shown = new Set(random.map((text) => text.replace(/^whsec_(.*)$/, (_, key) => atob(key))));
    for (const text of shown) expect(text).to.match(/^(EXAMPLE_)+/);
  });
});
