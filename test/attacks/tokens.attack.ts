import { createHmac, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { decodeJwt, SignJWT } from 'jose';
import { config } from '../../src/config/config.js';
import { Teammates } from '../../src/core/access/teammate-model.js';
import { mintBotToken, tokenPrefix } from '../../src/features/tokens/bot-tokens.js';
import { BotTokens } from '../../src/features/tokens/token-model.js';
import { clock } from '../../src/lib/clock.js';
import { dayMs } from '../../src/lib/time.js';
import { allRoutes, type HttpSide, startHttp } from '../edges/http/http-setup.js';
import {
  everythingAbout,
  expectRefusal,
  type FilledGuild,
  fillGuild,
  isOpen,
  isPage,
  settled,
} from '../edges/http/walk-setup.js';
import { eraseAll } from '../features/privacy/privacy-setup.js';
import { buildTeammate } from '../features/team/team-setup.js';
import { api, asPerson } from '../support/api.js';
import { buildGuild, tokenFor } from '../support/build.js';
import { rightRequest } from './attack-setup.js';
import { Onslaught } from './tally.js';

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs its input without reading it. */
function signed(header: Record<string, unknown>, claims: unknown, secret: string, hash = 'sha256'): string {
  const content = `${encode(header)}.${encode(claims)}`;
  return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`;
}

function partsOf(token: string) {
  const jwt = token.slice(tokenPrefix.length);
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  return { jwt, header, payload, signature, claims: { ...decodeJwt(jwt) } };
}

/** Every token forgery without the key: its description, and its text. */
function forgeries(token: string, otherId: string): [string, string][] {
  const { jwt, header, payload, signature, claims } = partsOf(token);
  const kid = config().botTokenKeys[0]?.kid ?? '';
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const own = 'x'.repeat(43);
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const algorithms = ['none', 'None', 'NONE', 'nOnE', '', 'HS256 ', 'hs256'];
  const raised = { ...claims, role: 'owner', gid: '*' };
  const headers: [string, Record<string, unknown>][] = [
    ['its own key', { alg: 'HS256', kid }],
    ['another key id', { alg: 'HS256', kid: 'other' }],
    ['no key id', { alg: 'HS256' }],
    ['a path as key id', { alg: 'HS256', kid: '../../../../dev/null' }],
    ['a list as key id', { alg: 'HS256', kid: [kid] }],
    ['a query as key id', { alg: 'HS256', kid: { $ne: null } }],
    ['a prototype as key id', { alg: 'HS256', kid: '__proto__' }],
    ['a key in the header', { alg: 'HS256', kid, jwk: { kty: 'oct', k: Buffer.from(own).toString('base64url') } }],
    ['an address of keys', { alg: 'HS256', kid, jku: 'https://evil.example/keys' }],
    ['a certificate', { alg: 'HS256', kid, x5c: ['MIIB'], x5u: 'https://evil.example/c' }],
    ['a critical extension', { alg: 'HS256', kid, crit: ['exp'], b64: false }],
    ['another type', { alg: 'HS256', kid, typ: 'at+jwt', cty: 'JWT' }],
  ];
  return [
    ...algorithms.flatMap((alg): [string, string][] => [
      [`alg ${alg}, unsigned`, `${encode({ alg, kid })}.${encode(raised)}.`],
      [`alg ${alg}, with the old signature`, `${encode({ alg, kid })}.${payload}.${signature}`],
    ]),
    ...headers.map(([what, head]): [string, string] => [`${what}, signed by another`, signed(head, claims, own)]),
    ['an empty secret', signed({ alg: 'HS256', kid }, claims, '')],
    ['the public key as secret', signed({ alg: 'HS256', kid }, claims, publicKey)],
    ['the key id as secret', signed({ alg: 'HS256', kid }, claims, kid)],
    ['HS384', signed({ alg: 'HS384', kid }, claims, own, 'sha384')],
    ['HS512', signed({ alg: 'HS512', kid }, claims, own, 'sha512')],
    ['an edited role', `${header}.${encode({ ...claims, role: 'owner' })}.${signature}`],
    ['an edited guild', `${header}.${encode({ ...claims, gid: '*' })}.${signature}`],
    ['an edited subject', `${header}.${encode({ ...claims, sub: otherId })}.${signature}`],
    ['an edited end', `${header}.${encode({ ...claims, exp: 4_102_444_800 })}.${signature}`],
    ['no signature', `${header}.${payload}`],
    ['an empty signature', `${header}.${payload}.`],
    ['half a signature', `${header}.${payload}.${signature.slice(0, 20)}`],
    ['a longer signature', `${jwt}AAAA`],
    ['a padded signature', `${jwt}==`],
    ['a fourth part', `${jwt}.${signature}`],
    ['an encrypted token', `${header}..${payload}.${signature}.${signature}`],
    ['two prefixes', `${tokenPrefix}${jwt}`],
    ['a session in its place', 'rolelink_session=x'],
  ];
}

/** Tokens with the service's signature and contents that differ from the stored token. */
async function mismatches(token: string, otherId: string): Promise<[string, string][]> {
  const [key] = config().botTokenKeys;
  if (key === undefined) throw new Error('no key');
  const { claims } = partsOf(token);
  const changes: [string, Record<string, unknown>][] = [
    ['a higher role', { role: 'owner' }],
    ['every guild', { gid: '*' }],
    ['a guild of somebody else', { gid: '100000000000000007' }],
    ['the id of another token', { sub: otherId }],
    ['an id that is not there', { sub: 'tok_000000000000000000000000' }],
    ['another issuer', { iss: 'somebody' }],
    ['a later end', { exp: Math.floor(clock.epochMs() / 1_000) + 900 * 86_400 }],
    ['an end that is over', { exp: 1 }],
    ['a beginning to come', { nbf: 4_102_444_800 }],
    ['no end', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['no guild', { gid: undefined }],
    ['a query as subject', { sub: { $ne: null } }],
    ['a query as guild', { gid: { $gt: '' } }],
    ['a list of roles', { role: ['owner'] }],
  ];
  const sign = (changed: Record<string, unknown>) =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .sign(Buffer.from(key.secret));
  return Promise.all(
    changes.map(async ([what, change]) => [`signed, but with ${what}`, await sign(change)] as const),
  ).then((all) => all.map(([what, text]): [string, string] => [what, text]));
}

describe('Bot tokens, under attack', () => {
  let http: HttpSide;
  let mine: FilledGuild;
  let token: string;
  let otherId: string;

  before(async () => {
    [http, mine] = [await startHttp(), await fillGuild()];
    const wish = { guildId: mine.guildId, name: 'attacked', createdBy: 'test' } as const;
    token = (await mintBotToken({ ...wish, role: 'viewer', days: 30 })).text;
    otherId = (await mintBotToken({ ...wish, role: 'owner' })).token._id;
  });
  after(() => http.close());

  it('Forged tokens are worth nothing on every route', async () => {
    const attack = new Onslaught('forged tokens on every route');
    const forged = [...forgeries(token, otherId), ...(await mismatches(token, otherId))];
    const untouched = await settled([mine]);
    for (const route of allRoutes().filter((each) => !isOpen(each))) {
      for (const [what, text] of forged) {
        const { path, sent } = rightRequest(route, mine, { authorization: `Bot ${tokenPrefix}${text}` });
        await attack.try(`${what}: ${route.name}`, async () => {
          const answer = await http.send(route.method, path, sent);
          if (isPage(route) && route.method === 'GET') expect(answer.status).to.equal(302);
          else expectRefusal(route, answer, 401, 'unauthenticated');
        });
      }
    }
    await attack.unchanged(untouched, () => everythingAbout([mine]));
    expect((await api(token).get('/api/auth/me')).status).to.equal(200);
    attack.end();
  });

  it('A token is worth no more than its maker, at each moment', async () => {
    const attack = new Onslaught('tokens of who has lost what they had');
    const guild = await buildGuild();
    const losses: [string, (made: Made) => Promise<unknown>][] = [
      ['revoked', ({ tokenId, owner }) => owner.delete(`${guild.path}/tokens/${tokenId}`)],
      ['demoted', ({ chatUserId, owner }) => owner.patch(`${guild.path}/team/${chatUserId}`, { role: 'viewer' })],
      ['removed', ({ chatUserId, owner }) => owner.delete(`${guild.path}/team/${chatUserId}`)],
      [
        'erased',
        async ({ chatUserId }) => {
          await (await asPerson({ chatUserId, username: 'x' })).delete('/api/auth/me');
          await eraseAll();
        },
      ],
      [
        'no teammate any more',
        ({ chatUserId }) => Teammates.acrossGuilds.deleteOne({ guildId: guild.guildId, chatUserId }),
      ],
      ['expired', async () => clock.advance(31 * dayMs)],
    ];
    for (const [what, lose] of losses) {
      const made = await makeToken(guild);
      const caller = api(made.token);
      expect((await caller.get(`${guild.path}/tokens`)).status, what).to.equal(200);
      await lose(made);
      await attack.try(what, async () => {
        const { status } = await caller.post(`${guild.path}/team/invite`, {
          chatUserId: '100000000000000010',
          role: 'viewer',
        });
        expect(status).to.be.oneOf([401, 403]);
      });
      clock.restore();
    }
    attack.end();
  });

  it('A token does not make more of itself, nor speak for a person', async () => {
    const attack = new Onslaught('tokens that want to be more');
    const { path, guildId } = await buildGuild();
    for (const role of ['viewer', 'manager', 'admin', 'owner'] as const) {
      for (const text of [await tokenFor(guildId, role), await tokenFor('*', role)]) {
        for (const wish of ['viewer', 'owner']) {
          await attack.try(`${role} makes ${wish}`, async () => {
            const { status } = await api(text).post(`${path}/tokens`, { name: 'more', role: wish });
            expect(status).to.equal(403);
          });
        }
        for (const [method, to] of [
          ['DELETE', '/api/auth/me'],
          ['POST', '/api/auth/logout-everywhere'],
          ['GET', '/api/auth/me/export'],
        ] as const) {
          await attack.try(`${role}: ${method} ${to}`, async () =>
            expect((await api(text).request(method, to)).status).to.equal(403),
          );
        }
      }
    }
    expect(await BotTokens.acrossGuilds.countDocuments({ guildId, name: 'more' })).to.equal(0);
    attack.end();
  });
});

interface Made {
  token: string;
  tokenId: string;
  chatUserId: string;
  owner: Awaited<ReturnType<typeof asPerson>>;
}

/** A token with the role admin that a teammate has made, for 30 days. */
async function makeToken(guild: Awaited<ReturnType<typeof buildGuild>>): Promise<Made> {
  const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
  const maker = await buildTeammate(guild, 'admin');
  const { status, body } = await maker.api.post(`${guild.path}/tokens`, {
    name: 'mine',
    role: 'admin',
    expiresInDays: 30,
  });
  expect(status, JSON.stringify(body)).to.equal(201);
  return { token: body.token, tokenId: body.tokenId, chatUserId: maker.chatUserId, owner };
}
