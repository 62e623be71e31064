import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { config } from '../../src/config/config.js';
import type { Route } from '../../src/edges/http/route.js';
import { allRoutes, expectProblem, type HttpSide, startHttp } from '../edges/http/http-setup.js';
import {
  admitted,
  asking,
  expectRefusal,
  expectUnchanged,
  type FilledGuild,
  fillGuild,
  isPage,
  parametersOf,
  pathTo,
  settled,
} from '../edges/http/walk-setup.js';
import {
  answerTo,
  type Caller,
  changing,
  everyCaller,
  rightRequest,
  takesJson,
  takingBody,
  withEachLeaf,
  withEachObject,
} from './attack-setup.js';
import { Onslaught } from './tally.js';

/** OAuth lets a provider add anything to a callback's query (RFC 6749 §4.1.2). */
const takesAnyQuery = (route: Route): boolean => /^GET .*\/callback$/.test(route.name);

describe('Every route, under attack', () => {
  let http: HttpSide;
  let mine: FilledGuild;
  let other: FilledGuild;
  let callers: Caller[];
  let untouched: string;

  const by = async (route: Route) => admitted(route, mine);
  const sendRight = async (route: Route, headers: Record<string, string>, path?: string) => {
    const right = rightRequest(route, mine, headers);
    return http.send(route.method, path ?? right.path, right.sent);
  };
  const sendBody = async (route: Route, body: unknown, headers: Record<string, string> = {}) => {
    const { path, sent } = rightRequest(route, mine, { ...(await by(route)), ...headers });
    return http.send(route.method, path, { ...sent, body });
  };
  const rightBody = (route: Route): unknown => rightRequest(route, mine, {}).sent.body;

  before(async () => {
    [http, mine, other] = [await startHttp(), await fillGuild(), await fillGuild()];
    callers = await everyCaller(mine, other);
    untouched = await settled([mine, other]);
  });
  afterEach('nothing was changed', async () => {
    await expectUnchanged([mine, other], untouched);
  });
  after(() => http.close());

  it('Every route refuses the callers that it is not for', async () => {
    const attack = new Onslaught('every role against every route');
    for (const route of allRoutes().filter((each) => !takesAnyQuery(each))) {
      for (const caller of callers) {
        const expected = answerTo(route, caller);
        await attack.try(`${caller.name}, ${route.name}`, async () => {
          const { status, text } = await sendRight(route, caller.headers, asking('surprise=1', route, mine));
          const isSignIn = expected === 401 && isPage(route) && route.method === 'GET';
          expect(status, text).to.equal(isSignIn ? 302 : expected);
        });
      }
    }
    attack.end();
  });

  it('No route finds anything of another guild, with any foreign id in the path and any caller', async () => {
    const attack = new Onslaught('foreign and unknown ids in every path');
    const inGuild = allRoutes().filter(({ options }) => options.access.kind === 'guild_role');
    for (const route of inGuild) {
      for (const name of parametersOf(route)) {
        const known = other.ids[name] ?? '';
        const unknown = known.replace(/.{4}$/, '0000');
        for (const id of [known, unknown]) {
          for (const headers of [mine.owner, await mine.token('owner')]) {
            await attack.try(`${route.name} with ${name} ${id}`, async () => {
              // Members are people: a person in the other guild only is not found here either.
              expectRefusal(route, await sendRight(route, headers, pathTo(route, mine, { [name]: id })), 404);
            });
          }
        }
      }
    }
    attack.end();
  });

  it('No route accepts an operator of the database, in any field', async () => {
    const attack = new Onslaught('operators in path, query and body');
    const operators = [{ $ne: null }, { $gt: '' }, { $where: '1' }, { $regex: '.*' }, { $in: [] }, { $expr: {} }];
    for (const route of allRoutes()) {
      for (const name of parametersOf(route)) {
        for (const operator of operators) {
          const path = pathTo(route, mine, { [name]: encodeURIComponent(JSON.stringify(operator)) });
          await attack.try(path, async () => expectRefusal(route, await sendRight(route, await by(route), path), 404));
        }
      }
      if (takesAnyQuery(route)) continue;
      for (const name of Object.keys(route.options.input?.query?.shape ?? {})) {
        for (const query of [`${name}[$ne]=x`, `${name}[]=x`, `${name}[$gt]=&${name}=x`, `${name}=1&${name}=2`]) {
          const path = asking(encodeURI(query), route, mine);
          await attack.try(path, async () =>
            expectRefusal(route, await sendRight(route, await by(route), path), 400, 'invalid_request'),
          );
        }
      }
    }
    for (const route of takingBody().filter(takesJson)) {
      for (const operator of operators) {
        for (const [place, body] of withEachLeaf(rightBody(route), operator)) {
          await attack.try(`${route.name} ${place}`, async () =>
            expectProblem(await sendBody(route, body), 400, 'invalid_request'),
          );
        }
      }
    }
    attack.end();
  });

  it('No route accepts a field that it does not know in any object of its body: no prototype, and no internal field', async () => {
    const pollution = new Onslaught('prototype pollution');
    const assignment = new Onslaught('mass assignment');
    const prototypes = ['__proto__', 'constructor', 'prototype'];
    const ours = [
      ...['_id', 'id', '__v', 'guildId', 'ownerId', 'role', 'plan', 'state', 'createdBy', 'tokenGuildId', 'secrets'],
      ...['platformAdmin', 'outbox', 'fence', 'suspension', 'present', 'expiresAt', 'revokedAt', 'deliveryCount'],
    ];
    for (const route of takingBody().filter(takesJson)) {
      const schema = JSON.stringify(z.toJSONSchema(route.options.input?.body ?? z.never(), { io: 'input' }));
      for (const name of [...prototypes, ...ours.filter((each) => !schema.includes(`"${each}":`))]) {
        const attack = prototypes.includes(name) ? pollution : assignment;
        for (const [place, body] of withEachObject(rightBody(route), name, { polluted: true })) {
          await attack.try(`${route.name} ${place}`, async () => {
            expectProblem(await sendBody(route, body), 400, 'invalid_request');
            expect(Reflect.get({}, 'polluted')).to.equal(undefined);
          });
        }
      }
    }
    pollution.end();
    assignment.end();
  });

  it('No route does anything for another site’s page that a signed-in person opens', async () => {
    const attack = new Onslaught('requests from other sites');
    const { publicUrl } = config();
    const { host, port, protocol } = new URL(publicUrl);
    const origins = [
      ...['', 'null', 'https://evil.example', `${publicUrl}.evil.example`, `${publicUrl}/`, publicUrl.toUpperCase()],
      ...[`https://${host}`, `http://evil.${host}`, `http://127.0.0.1:${port}`, `${protocol}//localhost`, 'file://'],
      ...[`${publicUrl}, https://evil.example`, `https://evil.example, ${publicUrl}`, `${publicUrl}@evil.example`],
    ];
    for (const route of changing()) {
      const isAdmins = route.options.access.kind === 'platform_admin';
      const session = isAdmins ? callers.find(({ isPlatformAdmin }) => isPlatformAdmin)?.headers : mine.owner;
      const { cookie = '' } = session ?? {};
      const strange = origins.map((origin) => ({ cookie, ...(origin !== '' && { origin }), referer: `${publicUrl}/` }));
      for (const headers of strange) {
        await attack.try(`${route.name} from ${headers.origin ?? 'nowhere'}`, async () =>
          expectRefusal(route, await sendRight(route, headers), 403, 'origin_mismatch'),
        );
      }
      for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
        if (isPage(route) || rightBody(route) === undefined) continue;
        await attack.try(`${route.name} as ${type}`, async () => {
          const headers = { ...session, 'content-type': type };
          const answer = await http.send(route.method, pathTo(route, mine), { body: rightBody(route), headers });
          expect(answer.status, answer.text).to.be.within(400, 499);
        });
      }
      for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
        await attack.try(`${route.name} by ${name}`, async () => {
          const headers = { ...session, [name]: route.method };
          const answer = await http.send('GET', `${pathTo(route, mine)}?_method=${route.method}`, { headers });
          expect(answer.status, answer.text).to.be.below(500);
        });
      }
    }
    attack.end();
  });

  it('No route trusts a header about its own host or the wanted path', async () => {
    const attack = new Onslaught('Host and forwarded headers');
    const tricks: Record<string, string>[] = [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '666' },
      { forwarded: 'for=9.9.9.9;host=evil.example;proto=https' },
      { 'x-original-url': '/api/admin/metrics', 'x-rewrite-url': '/api/admin/metrics' },
      { 'x-forwarded-for': '9.9.9.9', 'x-real-ip': '9.9.9.9', 'true-client-ip': 'evil.example' },
      { 'x-forwarded-prefix': '/evil.example', 'x-http-host-override': 'evil.example' },
    ];
    for (const route of allRoutes().filter(({ method }) => method === 'GET')) {
      const plain = await sendRight(route, await by(route));
      for (const trick of tricks) {
        await attack.try(`${route.name} with ${Object.keys(trick).join()}`, async () => {
          const answer = await sendRight(route, { ...(await by(route)), ...trick });
          expect(answer.status).to.equal(plain.status);
          const { 'x-request-id': _, ...headers } = answer.headers;
          expect(JSON.stringify(headers) + answer.text).not.to.contain('evil.example');
        });
      }
    }
    attack.end();
    // A person's export of their data is logged.
    untouched = await settled([mine, other]);
  });

  it('No route is brought down by bodies that are bombs', async () => {
    const attack = new Onslaught('oversized, packed and nested bodies');
    const packed = gzipSync(Buffer.from(`{"a":"${'x'.repeat(30 * 2 ** 20)}"}`));
    const nested = [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`];
    for (const route of takingBody()) {
      const refusals: [string, string | Buffer, Record<string, string>, number[]][] = [
        ['a packed bomb', packed, { 'content-encoding': 'gzip' }, [400, 413, 415]],
        ['packed twice', gzipSync(packed), { 'content-encoding': 'gzip, gzip' }, [400, 413, 415]],
        ['too many bytes', ' '.repeat(2 * 2 ** 20), {}, [413]],
        ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0xc3]), {}, [400]],
        ...nested.map((body, index): (typeof refusals)[number] => [`nested ${index}`, body, {}, [400]]),
      ];
      if (route.options.yaml === true) {
        const laughs = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefghi'.split('').map(laugh)].join('\n');
        refusals.push(['a YAML of aliases', laughs, { 'content-type': 'application/yaml' }, [400]]);
      }
      for (const [what, body, headers, statuses] of refusals) {
        await attack.try(`${route.name}, ${what}`, async () => {
          const { status, text } = await sendBody(route, body, headers);
          expect(statuses, text).to.include(status);
        });
      }
    }
    attack.end();
  });
});

/** A line of a billion laughs: nine times the line before. */
function laugh(name: string): string {
  const before = String.fromCharCode(name.charCodeAt(0) - 1);
  return `${name}: &${name} [${Array(9).fill(`*${before}`).join()}]`;
}
