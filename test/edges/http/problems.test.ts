import { expect } from 'chai';
import sinon from 'sinon';
import { config, useConfig } from '../../../src/config/config.js';
import { open } from '../../../src/edges/http/access.js';
import { createRateLimits } from '../../../src/edges/http/rate-limits.js';
import { defineRoute, type Route } from '../../../src/edges/http/route.js';
import { clock } from '../../../src/lib/clock.js';
import { logger } from '../../../src/lib/logger.js';
import { metrics } from '../../../src/lib/metrics.js';
import { buildPerson, eventually, tokenFor } from '../../support/build.js';
import { platformAdminId } from '../../support/world.js';
import {
  type Answer,
  allRoutes,
  expectProblem,
  type HttpSide,
  routeContext,
  sessionHeaders,
  startHttp,
  tokenHeaders,
} from './http-setup.js';

/** A route without a file, with a broken handler. */
function brokenRoute(endpoint: `GET /${string}`, page: boolean): Route {
  const handle = () => {
    throw new Error('mongodb://user:hunter2@database refused');
  };
  const Broken = defineRoute({ endpoint, page, summary: 'Breaks', access: open, answers: { 200: null }, handle });
  return new Broken(routeContext());
}

/**
 * Whether a path's last segment stands where another route has a parameter, so that it is that one which answers other
 * methods: `/verify/callback` is also a token's page, `…/team/invite` a member's.
 */
const isAlsoAnId = (path: string): boolean =>
  allRoutes().some(
    (route) =>
      route.path !== path &&
      route.path.replace(/[^/]+$/, '') === path.replace(/[^/]+$/, '') &&
      /:\w+$/.test(route.path),
  );

const limitsOf = ({ headers }: Answer) => ({
  limit: Number(headers['ratelimit-limit']),
  remaining: Number(headers['ratelimit-remaining']),
  reset: Number(headers['ratelimit-reset']),
});

let http: HttpSide;

/** Serves all routes, and two that break. */
function withBrokenRoutes(): void {
  before(async () => {
    const broken = [brokenRoute('GET /broken', false), brokenRoute('GET /broken-page', true)];
    http = await startHttp({ routes: [...allRoutes(), ...broken] });
  });
  afterEach(() => sinon.restore());
  after(() => http.close());
}

describe('Answers to paths and methods that are not served', () => {
  withBrokenRoutes();

  it('An unknown path is answered with 404', async () => {
    for (const path of ['/api', '/api/nothing', '/api/guilds/1/nothing', '/%', '/%00', '/api/../healthz/x']) {
      expectProblem(await http.send('GET', path), 404, 'not_found');
    }
  });

  it('A method that a path does not take is answered with 405, and Allow names those that it takes', async () => {
    // To others platform admins' paths do not exist.
    const headers = await sessionHeaders(platformAdminId);
    const methodsOf = new Map<string, Set<string>>();
    for (const { path, method } of allRoutes()) {
      const methods = methodsOf.get(path) ?? new Set();
      methodsOf.set(path, methods.add(method));
      if (method === 'GET') methods.add('HEAD');
    }
    for (const [path, methods] of methodsOf) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        if (methods.has(method) || isAlsoAnId(path)) continue;
        const answer = await http.send(method, path.replaceAll(/:\w+/g, '100000000000000000'), { headers });
        expectProblem(answer, 405, 'method_not_allowed');
        expect(String(answer.headers.allow).split(', ').sort()).to.deep.equal([...methods].sort());
      }
    }
  });
});

describe('Headers and bodies', () => {
  withBrokenRoutes();

  // API-26
  it('Every answer carries the request id that was sent, if it is safe, else one made for it', async () => {
    for (const safe of ['abc', 'A.b:c-d_9', 'x'.repeat(64)]) {
      const { headers } = await http.send('GET', '/healthz', { headers: { 'x-request-id': safe } });
      expect(headers['x-request-id']).to.equal(safe);
    }
    const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
    for (const unsafe of ['', 'a b', '<script>', 'x'.repeat(65), '{"a":1}', 'a,b', 'ä']) {
      const { headers } = await http.send('GET', '/healthz', { headers: { 'x-request-id': unsafe } });
      expect(headers['x-request-id'], unsafe).to.match(made);
    }
    const [one, two] = [await http.send('GET', '/healthz'), await http.send('GET', '/healthz')];
    expect(one.headers['x-request-id']).to.match(made).and.not.to.equal(two.headers['x-request-id']);
  });

  it('Every answer has its media type of API-7', async () => {
    const token = tokenHeaders(await tokenFor('*', 'viewer'));
    const json = 'application/json; charset=utf-8';
    const types = {
      '/healthz': json,
      '/readyz': json,
      '/api/openapi.json': json,
      '/api/auth/me': json,
      '/api/guilds': json,
    };
    for (const [path, type] of Object.entries({ ...types, '/docs': 'text/html; charset=utf-8' })) {
      const { status, headers } = await http.send('GET', path, { headers: token });
      expect({ path, status, type: headers['content-type'] }).to.deep.equal({ path, status: 200, type });
    }
    expect((await http.send('GET', '/metrics')).headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/);
  });

  // DASH-20
  it('Every answer has headers that keep browsers from doing more than showing it', async () => {
    for (const path of ['/docs', '/api/auth/me', '/nothing', '/broken', '/broken-page']) {
      const { headers } = await http.send('GET', path);
      expect(headers['content-security-policy'], path).to.match(
        /^default-src 'none';style-src 'sha256-[^']+';font-src 'self';img-src 'self' https:;/,
      );
      expect(headers['content-security-policy']).to.contain("frame-ancestors 'none'").and.not.to.contain('unsafe');
      expect(headers).to.deep.include({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' });
      expect(headers).not.to.have.property('x-powered-by');
      expect(headers).not.to.have.property('access-control-allow-origin');
    }
  });

  it('HEAD gets no body, and else the same answer as GET', async () => {
    const headers = tokenHeaders(await tokenFor('*', 'viewer'));
    for (const path of [
      '/healthz',
      '/docs',
      '/api/guilds',
      '/api/guilds/1',
      '/api/auth/me?surprise=1',
      '/nothing',
      '/broken',
    ]) {
      const [get, head] = [await http.send('GET', path, { headers }), await http.send('HEAD', path, { headers })];
      expect(head.status, path).to.equal(get.status);
      expect(head.text).to.equal('');
      expect(head.headers['content-type']).to.equal(get.headers['content-type']);
      expect(head.headers['content-length']).to.equal(get.headers['content-length']);
    }
    expect((await http.send('HEAD', '/api/guilds')).status).to.equal(401);
  });
});

// API-9
describe('Answers to inner errors', () => {
  withBrokenRoutes();

  it('An inner error shows the caller only the request id, and logs the rest', async () => {
    const logged = sinon.stub(logger, 'error');
    const answer = await http.send('GET', '/broken');
    const { detail, ...problem } = expectProblem(answer, 500, 'internal_error');
    expect(problem).to.have.all.keys('type', 'title', 'status', 'code', 'requestId');
    expect(detail).to.equal('Something went wrong on our side. Give us the request ID.');
    expect(answer.text).not.to.contain('hunter2');
    expect(logged.calledOnce).to.equal(true);
    expect(logged.firstCall.args[0]).to.have.nested.property('err.message').that.contains('refused');
  });

  it('The page of an inner error shows people only the request id', async () => {
    const logged = sinon.stub(logger, 'error');
    const { status, text, headers } = await http.send('GET', '/broken-page');
    expect(status).to.equal(500);
    expect(text).to.contain(String(headers['x-request-id'])).and.not.to.contain('hunter2');
    expect(logged.calledOnce).to.equal(true);
  });

  it('An inner error of the service’s own routes shows only the request id', async () => {
    sinon.stub(logger, 'error');
    sinon.stub(metrics, 'metrics').rejects(new TypeError('Cannot read /etc/secret'));
    clock.advance(1_000);
    expect((await http.send('GET', '/metrics')).text).not.to.contain('secret');
    expectProblem(await http.send('GET', '/metrics'), 500, 'internal_error');
    sinon.restore();
    expect((await http.send('GET', '/metrics')).text).to.contain('rolelink_http_request_duration_seconds');
  });
});

describe('The log of requests', () => {
  withBrokenRoutes();

  it('The log of requests has no secret of a verification’s path', async () => {
    const logged = sinon.stub(logger, 'info');
    const headers = tokenHeaders(await tokenFor('*', 'viewer'));
    await http.send('GET', '/api/verification/session/s3cr3t-t0ken', { headers });
    await http.send('GET', '/verify/s3cr3t-t0ken');
    await http.send('GET', '/api/guilds/100000000000000000', { headers });
    const paths = logged.getCalls().map(({ args: [line] }) => (line as { path: string }).path);
    expect(paths).to.deep.equal(['/api/verification/session/:cut', '/verify/:cut', '/api/guilds/100000000000000000']);
  });
});

describe('Rate limits', () => {
  let limited: HttpSide;
  beforeEach(async () => {
    limited = await startHttp({ rateLimits: await createRateLimits() });
  });
  afterEach(() => limited.close());

  // API-37
  it('Headers count the requests on every answer, refusals too', async () => {
    const token = tokenHeaders(await tokenFor('*', 'viewer'));
    const requests = [
      '/api/openapi.json',
      '/nothing',
      '/docs',
      '/verify/x',
      '/api/guilds',
      '/api/auth/login?surprise=1',
    ];
    for (const [index, path] of requests.entries()) {
      const answer = await limited.send('GET', path);
      expect(limitsOf(answer), path).to.deep.include({ limit: 120, remaining: 119 - index });
      expect(limitsOf(answer).reset).to.be.within(1, 60);
    }
    expect(limitsOf(await limited.send('POST', '/docs')).remaining).to.equal(119 - requests.length);
    const forged = await limited.send('GET', '/api/guilds', { headers: { authorization: 'Bot a.b.c' } });
    expect(limitsOf(forged).remaining).to.equal(118 - requests.length);
    for (const [index, path] of ['/api/guilds', '/api/guilds/1', '/api/guilds?limit=0'].entries()) {
      const answer = await limited.send('GET', path, { headers: token });
      expect(limitsOf(answer)).to.deep.include({ limit: 600, remaining: 599 - index });
    }
  });

  // API-30
  it('A caller’s 121st request in a minute is refused, but not another’s', async () => {
    const [busy, calm] = [await sessionHeaders('100000000000000121'), await sessionHeaders('100000000000000122')];
    const me = (headers: Record<string, string>) => limited.send('GET', '/api/auth/me', { headers });
    for (let count = 1; count <= 120; count += 1) expect((await me(busy)).status).to.equal(200);
    const refused = await me(busy);
    expectProblem(refused, 429, 'rate_limited');
    const wait = Number(refused.headers['retry-after']);
    expect(wait).to.be.within(1, 60);
    expect(limitsOf(refused)).to.deep.equal({ limit: 120, remaining: 0, reset: wait });
    expect((await me(calm)).status).to.equal(200);
    expect((await limited.send('GET', '/api/auth/me')).status).to.equal(401);
  });

  it('A limited caller may continue when the time is over', async () => {
    const brief = await startHttp({ rateLimits: await createRateLimits({ points: 2, duration: 1 }) });
    const headers = await sessionHeaders('100000000000000123');
    const me = async () => (await brief.send('GET', '/api/auth/me', { headers })).status;
    try {
      await eventually(async () => (await Promise.all([me(), me(), me()])).includes(429), 'the limit');
      await eventually(async () => (await me()) === 200, 'the next second');
    } finally {
      await brief.close();
    }
  });

  it('Monitoring may ask for /healthz as often as it wants', async () => {
    for (let count = 1; count <= 130; count += 1) expect((await limited.send('GET', '/healthz')).status).to.equal(200);
    expect(limitsOf(await limited.send('GET', '/docs')).remaining).to.equal(119);
  });

  // API-36
  it('Probes and the billing webhook have limits of their own', async () => {
    for (const [path, limit] of Object.entries({ '/healthz': 6_000, '/readyz': 6_000, '/metrics': 60 })) {
      expect(limitsOf(await limited.send('GET', path)).limit, path).to.equal(limit);
    }
    const headers = { 'stripe-signature': 't=1,v1=0' };
    const event = await limited.send('POST', '/api/billing/webhook', { body: {}, headers });
    expect(limitsOf(event)).to.include({ limit: 6_000, remaining: 5_999 });
    expect(limitsOf(await limited.send('GET', '/docs')).remaining).to.equal(119);
  });

  it('Guesses of tokens count against the caller’s address', async () => {
    const guess = (index: number) =>
      limited.send('GET', '/api/auth/me', { headers: { authorization: `Bot a.b.${index}` } });
    for (let count = 1; count <= 120; count += 1) expect((await guess(count)).status).to.equal(401);
    expectProblem(await guess(121), 429, 'rate_limited');
    const page = await limited.send('GET', '/docs');
    expect(page.status).to.equal(429);
    expect(Number(page.headers['retry-after'])).to.be.within(1, 60);
    expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
  });

  it('Limits count the address that the nearest proxies report, and no other', async () => {
    const from = async (side: HttpSide, forwarded: string) =>
      limitsOf(await side.send('GET', '/docs', { headers: { 'x-forwarded-for': forwarded } })).remaining;
    expect(await from(limited, '203.0.113.1')).to.equal(119);
    expect(await from(limited, '203.0.113.2')).to.equal(118);
    const direct = config();
    useConfig({ ...direct, trustProxy: 1 });
    const proxied = await startHttp({ rateLimits: await createRateLimits() });
    try {
      expect(await from(proxied, '203.0.113.1')).to.equal(119);
      expect(await from(proxied, '203.0.113.2')).to.equal(119);
      expect(await from(proxied, 'made up, 198.51.100.7, 203.0.113.1')).to.equal(118);
    } finally {
      useConfig(direct);
      await proxied.close();
    }
  });

  // API-31
  it('Requests of verification are ten a minute, across restarts', async () => {
    const headers = await sessionHeaders((await buildPerson()).chatUserId);
    const retry = (side: HttpSide) => side.send('POST', '/api/verification/retry', { headers, body: { token: 'x' } });
    for (let count = 1; count <= 10; count += 1) {
      const answer = await retry(limited);
      expectProblem(answer, 404, 'session_not_found');
      expect(limitsOf(answer)).to.deep.include({ limit: 10, remaining: 10 - count });
    }
    const restarted = await startHttp({ rateLimits: await createRateLimits() });
    const refused = await retry(restarted);
    await restarted.close();
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    expect((await limited.send('GET', '/api/auth/me', { headers })).status).to.equal(200);
  });
});
