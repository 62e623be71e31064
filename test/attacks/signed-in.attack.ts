import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { localPath } from '../../src/core/auth/sign-in.js';
import { clock } from '../../src/lib/clock.js';
import { allRoutes, expectProblem, type HttpSide, sessionHeaders, startHttp } from '../edges/http/http-setup.js';
import { type FilledGuild, fillGuild, isPage, pathTo } from '../edges/http/walk-setup.js';
import { signRobloxWebhook } from '../sandbox/roblox/webhook-signature.js';
import { api, cookiesOf, signIn } from '../support/api.js';
import { buildGuild, buildMember, buildPerson } from '../support/build.js';
import { onLogLine } from '../support/logged-lines.js';
import { type World, world } from '../support/world.js';
import { rightRequest } from './attack-setup.js';
import { Onslaught } from './tally.js';

/** Places to go that are not of this host, in the spellings that browsers take. */
const elsewhere = [
  ...['https://evil.example', '//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\\/evil'],
  ...['/\t/evil.example', '/\n/evil.example', '\t//evil.example', ' //evil.example', '/%09/evil.example/..;//evil'],
  ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'],
  ...['http:evil.example', 'https:/evil.example', 'https:\\\\evil.example', '//evil.example@localhost', '//[::1]/'],
  ...['/a\r\nset-cookie: a=b', '/a\u0000b', '/\u2028/evil', '//e\u0000vil', '@evil.example', '.evil.example', ''],
  ...['/..//evil.example', '/.//evil.example', '/a/..//evil.example', '/./\\evil.example', '/\ud800', '\u00a0//evil'],
];

describe('Sign-in and sessions, under attack', () => {
  let discord: World['discord'];
  let url: string;
  before(async () => {
    ({ discord, url } = await world());
  });

  const begin = async (returnTo?: string) =>
    fetch(`${url}/api/auth/login${returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`}`, {
      redirect: 'manual',
    });
  const end = async (back: string, cookie: string) => fetch(back, { redirect: 'manual', headers: { cookie } });

  it('A sign-in leads nowhere but to a path of this host', async () => {
    const attack = new Onslaught('returnTo');
    const base = 'https://rolelink.example';
    for (const to of elsewhere) {
      await attack.try(JSON.stringify(to), () => {
        const path = localPath(to);
        expect(new URL(path, base).origin).to.equal(base);
        expect(path).to.match(/^\/(?![/\\])[\x21-\x7e]*$/);
      });
    }
    const { chatUserId } = await buildPerson();
    for (const to of elsewhere.slice(0, 3)) {
      await attack.try(`${to} through Discord`, async () => {
        const begun = await begin(to);
        const ended = await end(discord.authorize(begun.headers.get('location') ?? '', chatUserId), cookiesOf(begun));
        expect([ended.status, ended.headers.get('location')]).to.deep.equal([303, '/']);
      });
    }
    attack.end();
  });

  it('A sign-in takes only the code and state that this browser began with, and each once', async () => {
    const attack = new Onslaught('OAuth states and codes');
    const [victim, thief] = [await buildPerson(), await buildPerson()];
    const [begun, theirs] = [await begin(), await begin()];
    const mine = new URL(discord.authorize(begun.headers.get('location') ?? '', victim.chatUserId));
    const stolen = new URL(discord.authorize(theirs.headers.get('location') ?? '', thief.chatUserId));
    const changed = (changes: Record<string, string | null>) => {
      const back = new URL(mine);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) back.searchParams.delete(name);
        else back.searchParams.set(name, value);
      }
      return back.href;
    };
    const cookie = cookiesOf(begun);
    const tries: [string, string, string][] = [
      ['the code of somebody else', changed({ code: stolen.searchParams.get('code') }), cookie],
      ['the state of somebody else', changed({ state: stolen.searchParams.get('state') }), cookie],
      ['the answer of somebody else', stolen.href, cookie],
      ['no state', changed({ state: null }), cookie],
      ['an empty state', changed({ state: '' }), cookie],
      ['no code', changed({ code: null }), cookie],
      ['an invented code', changed({ code: 'invented' }), cookie],
      ['two states', `${mine.href}&state=x`, cookie],
      ['an issuer of its own', changed({ iss: 'https://evil.example', code: 'x' }), cookie],
      ['no cookie', mine.href, ''],
      ['the cookie of somebody else', mine.href, cookiesOf(theirs)],
      // Not its last letter, of which base64url leaves bits unused.
      [
        'an edited cookie',
        mine.href,
        cookie.replace(/.{9}$/, (end) => end.replace(/./, end.startsWith('A') ? 'B' : 'A')),
      ],
      ['an unencrypted cookie', mine.href, `rolelink_sign_in=${Buffer.from('{"state":"x"}').toString('base64url')}`],
    ];
    for (const [what, back, sent] of tries) {
      await attack.try(what, async () => {
        const answer = await end(back, sent);
        expect(answer.status).to.equal(400);
        expect(answer.headers.getSetCookie().filter((each) => each.startsWith('rolelink_session'))).to.deep.equal([]);
      });
    }
    const again = await begin();
    const back = discord.authorize(again.headers.get('location') ?? '', victim.chatUserId);
    expect((await end(back, cookiesOf(again))).status).to.equal(303);
    await attack.try('the same answer again', async () =>
      expect((await end(back, cookiesOf(again))).status).to.equal(400),
    );
    attack.end();
  });

  it('A sign-in begins a new session each time, whatever cookie was there, and an ended one stays ended', async () => {
    const attack = new Onslaught('fixed and reused sessions');
    const { chatUserId } = await buildPerson();
    const planted = 'A'.repeat(43);
    const begun = await begin();
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
    const ended = await end(back, `rolelink_session=${planted}; ${cookiesOf(begun)}`);
    await attack.try('a planted session', async () => {
      expect(cookiesOf(ended)).not.to.contain(planted);
      expect((await api().get('/api/auth/me', { cookie: `rolelink_session=${planted}` })).status).to.equal(401);
    });
    const old = await signIn(chatUserId);
    const second = await signIn(chatUserId);
    await attack.try('the same id twice', () => expect(old.cookie).not.to.equal(second.cookie));
    await old.post('/api/auth/logout');
    const later = await signIn(chatUserId);
    await later.post('/api/auth/logout-everywhere');
    const erased = await signIn((await buildPerson()).chatUserId);
    expect((await erased.delete('/api/auth/me')).status).to.be.below(300);
    const ids = [old, second, later, erased].map(({ cookie }) => cookie.split('=')[1] ?? '');
    const spellings = ids.flatMap((id) => [id, `"${id}"`, ` ${id}`, `${id};${id}`, `${id}%00`, id.toLowerCase()]);
    for (const id of [...spellings, '[object Object]', '{"$ne":null}', 'undefined', 'null', '*', '../x']) {
      await attack.try(id, async () =>
        expect((await api().get('/api/auth/me', { cookie: `rolelink_session=${id}` })).status).to.equal(401),
      );
    }
    attack.end();
  });
});

describe('Providers’ signatures, under attack', () => {
  it('A route for a provider believes only signatures that the provider made, lately', async () => {
    const attack = new Onslaught('forged, doubled and stale signatures');
    const { roblox, stripe } = await world();
    const now = Math.floor(clock.epochMs() / 1_000);
    const key = 'x'.repeat(32);
    const signers: Record<string, (body: string, secret?: string, at?: number) => string> = {
      'stripe-signature': (body, secret, at) => stripe.events.sign(body, at ?? now, secret ? [secret] : undefined),
      'roblox-signature': (body, secret, at) =>
        signRobloxWebhook(body, secret ?? roblox.webhookSecret, (at ?? now) * 1_000),
    };
    const http = await startHttp();
    for (const route of allRoutes()) {
      const { access } = route.options;
      if (access.kind !== 'signed_by_provider') continue;
      const sign = signers[access.header];
      if (sign === undefined) throw new Error(`The attack cannot sign as ${access.header}.`);
      const body = JSON.stringify({ id: 'evt_x', object: 'event', type: 'x', EventType: 'x', data: { object: {} } });
      const good = sign(body);
      const [time = '', value = ''] = good.split(',');
      const raw = value.replace('v1=', '');
      const forged = [
        ...['', ' ', 'nonsense', 't=', 'v1=', 't=,v1=', time, value, `${time},v0=${raw}`, `${time},v1=`],
        ...[sign(body, key), sign(`${body} `), sign(''), sign(body, undefined, now - 3_600), `t=0,${value}`],
        ...[sign(body, undefined, now - 86_400), `t=NaN,${value}`, `t=-1,${value}`],
        ...[`${time},v1=${'0'.repeat(64)}`, `${time},v1=${raw.slice(0, -2)}`, `${time},v1=${raw}00`, `t=1e20,${value}`],
        ...[
          `${time},v1=${createHmac('sha256', '').update(`${now}.${body}`).digest('hex')}`,
          `${value},${time.slice(0, 4)}`,
        ],
        `t=${now - 86_400},${time},${sign(body, undefined, now - 86_400).split(',')[1]}`,
      ];
      for (const signature of forged) {
        await attack.try(`${route.name} with ${signature}`, async () => {
          const headers = { [access.header]: signature };
          expectProblem(await http.send(route.method, route.path, { body, headers }), 400, 'signature_invalid');
        });
      }
      for (const header of ['authorization', 'x-signature', 'signature']) {
        await attack.try(`${route.name} by ${header}`, async () => {
          const answer = await http.send(route.method, route.path, { body, headers: { [header]: good } });
          expectProblem(answer, 400, 'signature_invalid');
        });
      }
    }
    await http.close();
    attack.end();
  });
});

describe('Secrets, under attack', () => {
  let http: HttpSide;
  let guild: FilledGuild;
  before(async () => {
    [http, guild] = [await startHttp(), await fillGuild()];
  });
  after(() => http.close());

  it('Secrets are in no log line and no answer, for any place in a request', async () => {
    const attack = new Onslaught('canaries in every part of a request');
    const canary = 'rlk_canaryCANARYcanaryCANARYcanaryCANARY0';
    const lines: string[] = [];
    const stop = onLogLine((line) => lines.push(line));
    for (const route of allRoutes()) {
      const { path, sent } = rightRequest(route, guild, {});
      const { body, headers } = sent;
      const taken = route.path.includes(':token') ? pathTo(route, guild, { token: canary }) : path;
      const join = (query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
      const bodies = typeof body === 'object' ? [{ ...body, token: canary, code: canary, secret: canary }] : [];
      const tries: [string, Record<string, string>, unknown][] = [
        [path, { authorization: `Bot ${canary}` }, body],
        [path, { authorization: `Bearer ${canary}` }, body],
        [path, { authorization: `Bot ${canary}.${canary}.${canary}` }, body],
        [path, { cookie: `rolelink_session=${canary}; rolelink_sign_in=${canary}` }, body],
        [path, { 'idempotency-key': canary, 'stripe-signature': canary, 'roblox-signature': canary }, body],
        [taken, {}, body],
        ...['token', 'code', 'state', 'access_token', 'secret'].map(
          (name): [string, Record<string, string>, unknown] => [...([join(`${name}=${canary}`), {}, body] as const)],
        ),
        ...bodies.map((each): [string, Record<string, string>, unknown] => [path, {}, each]),
      ];
      for (const [to, more, what] of tries) {
        await attack.try(`${route.name} ${Object.keys(more).join()}`, async () => {
          lines.length = 0;
          const options = { headers: { ...headers, ...more }, ...(what !== undefined && { body: what }) };
          const { status, text } = await http.send(route.method, to, options);
          expect(status).to.be.below(500);
          // A visitor without a session comes back to the same page after signing in.
          if (status !== 302) expect(text, 'the answer').not.to.contain(canary);
          expect(lines.join('\n'), 'the log').not.to.contain(canary);
        });
      }
    }
    stop();
    attack.end();
  });
});

describe('Verification, under attack', () => {
  it('A verification is one person’s own: no other person, and no other server’s token, can continue or see it', async () => {
    const attack = new Onslaught('verifications of somebody else');
    const http = await startHttp();
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const [person, thief] = [await buildMember(guild, { linked: false }), await buildMember(guild, { linked: false })];
    const headers = await sessionHeaders(person.chatUserId);
    const created = await http.send('POST', '/api/verification/session', { headers, body: { method: 'profile_code' } });
    const { token } = created.json;
    const thieves = [await sessionHeaders(thief.chatUserId), { authorization: `Bot ${other.token}` }];
    for (const route of allRoutes().filter(({ path }) => /^\/(api\/verification|verify)\//.test(path))) {
      if (route.name === 'POST /api/verification/session') continue;
      for (const [index, thiefs] of thieves.entries()) {
        const path = route.path.replace(':token', token);
        const body = { token, ...(route.path.endsWith('complete') && { gameUsername: thief.gameUsername }) };
        await attack.try(`${route.name} by thief ${index}`, async () => {
          const isForm = isPage(route) && route.method === 'POST';
          const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
          const sent = route.method === 'POST' ? { body: isForm ? 'action=retry' : body } : {};
          const answer = await http.send(route.method, path, { ...sent, headers: { 'content-type': type, ...thiefs } });
          expect(answer.status, answer.text).to.be.within(400, 499);
          expect(answer.text).not.to.contain(created.json.phrase);
        });
      }
    }
    const seen = await http.send('GET', `/api/verification/session/${token}`, { headers });
    expect(seen.json).to.include({ state: 'pending', attemptsLeft: created.json.attemptsLeft });
    await http.close();
    attack.end();
  });
});
