import { expect } from 'chai';
import mongoose from 'mongoose';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { localPath } from '../../../src/core/auth/sign-in.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { api, asPerson, cookiesOf, signIn } from '../../support/api.js';
import { buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

// AUTH-3, AUTH-4, AUTH-9, AUTH-11
describe('Sign-in with Discord', () => {
  afterEach(() => clock.restore());

  // API-57
  it('A sign-in starts a session of the person', async () => {
    const person = await buildPerson();
    const caller = await signIn(person.chatUserId);
    const { status, body } = await caller.get('/api/auth/me');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      kind: 'user',
      chatUserId: person.chatUserId,
      username: person.username,
      avatarUrl: null,
      platformAdmin: false,
      account: null,
      invitations: [],
    });
  });

  // API-10
  for (const match of [/^GET .*\/users\/@me$/, /^POST .*\/oauth2\/token$/]) {
    it(`A sign-in for which Discord asks to wait a day ends at once, with the time: ${match.source}`, async () => {
      const { url, discord } = await world();
      const { chatUserId } = await buildPerson();
      const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
      const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
      discord.inject({ match, status: 429, retryAfter: 86_400, times: 1 });
      const headers = { cookie: cookiesOf(begun), accept: 'application/json' };
      const ended = await fetch(back, { redirect: 'manual', headers });
      expect(ended.status).to.equal(503);
      expect(Number(ended.headers.get('retry-after'))).to.be.within(86_400, 86_401);
    });
  }

  it('A logout ends the session, for every copy of the cookie', async () => {
    const { chatUserId } = await buildPerson();
    const caller = await signIn(chatUserId);
    const { status, headers } = await caller.post('/api/auth/logout');
    expect(status).to.equal(204);
    expect(headers.get('set-cookie')).to.match(/rolelink_session=; .*Max-Age=0/);
    expect((await caller.get('/api/auth/me')).status).to.equal(401);
  });

  // AUTH-7, AUTH-8
  it('A sign-in sets the cookie HttpOnly and SameSite=Lax, and returns to the requested local path', async () => {
    const { url, discord } = await world();
    const { chatUserId } = await buildPerson();
    const begun = await fetch(`${url}/api/auth/login?returnTo=/docs`, { redirect: 'manual' });
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
    const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
    expect(ended.status).to.equal(303);
    expect(ended.headers.get('location')).to.equal('/docs');
    expect(ended.headers.getSetCookie()[0]).to.match(
      /^rolelink_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
  });

  it('A sign-in refuses an answer that another browser began', async () => {
    const { url, discord } = await world();
    const { chatUserId } = await buildPerson();
    const [mine, theirs] = await Promise.all([
      fetch(`${url}/api/auth/login`, { redirect: 'manual' }),
      fetch(`${url}/api/auth/login`, { redirect: 'manual' }),
    ]);
    const back = discord.authorize(mine.headers.get('location') ?? '', chatUserId);
    for (const cookie of ['', cookiesOf(theirs), 'rolelink_sign_in=forged']) {
      const refused = await fetch(back, { redirect: 'manual', headers: { cookie } });
      expect(refused.status, cookie).to.equal(400);
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
    }
  });

  // AUTH-12
  it('The tab that began to sign in first can be finished after a second one', async () => {
    const { url, discord } = await world();
    const { chatUserId } = await buildPerson();
    const first = await fetch(`${url}/api/auth/login?returnTo=/docs`, { redirect: 'manual' });
    const headers = { cookie: cookiesOf(first) };
    const second = await fetch(`${url}/api/auth/login?returnTo=/me`, { redirect: 'manual', headers });
    let cookie = cookiesOf(second);
    for (const [begun, to] of [
      [first, '/docs'],
      [second, '/me'],
    ] as const) {
      const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
      const ended = await fetch(back, { redirect: 'manual', headers: { cookie } });
      expect([ended.status, ended.headers.get('location')]).to.deep.equal([303, to]);
      cookie = cookiesOf(ended);
    }
  });

  // AUTH-64
  it('A refreshed callback leads on while its session lasts, and to nobody else', async () => {
    const { url, discord } = await world();
    const { chatUserId } = await buildPerson();
    const begun = await fetch(`${url}/api/auth/login?returnTo=/docs`, { redirect: 'manual' });
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
    const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
    const cookie = cookiesOf(ended);
    const again = await fetch(back, { redirect: 'manual', headers: { cookie } });
    expect([again.status, again.headers.get('location')]).to.deep.equal([303, '/docs']);
    const without = cookie.replace(/rolelink_session=[^;]*/, '');
    expect((await fetch(back, { redirect: 'manual', headers: { cookie: without } })).status).to.equal(400);
  });

  it('A sign-in declined on Discord gets an explanation', async () => {
    const { url, discord } = await world();
    const { chatUserId } = await buildPerson();
    const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId, false);
    const refused = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.contain('Discord did not confirm the sign-in');
  });

  // AUTH-13
  it('A cookie from elsewhere is refused with state-changing requests', async () => {
    const { chatUserId } = await buildPerson();
    const { cookie } = await signIn(chatUserId);
    for (const origin of [undefined, 'https://evil.example', 'null']) {
      const headers = { cookie, ...(origin !== undefined && { origin }) };
      const { status, body } = await api().post('/api/auth/logout', undefined, headers);
      expect(status).to.equal(403);
      expect(body.code).to.equal('origin_mismatch');
    }
    expect((await api().get('/api/auth/me', { cookie })).status).to.equal(200);
  });

  it('A session of an older version, which doesn’t say when it began, has ended', async () => {
    const person = await buildPerson();
    const caller = await asPerson(person);
    const { chatUserId } = person;
    await mongoose.connection.collection('sessions').updateMany({ chatUserId }, { $unset: { startedAt: 1 } });
    expect((await caller.get('/api/auth/me')).status).to.equal(401);
  });

  // AUTH-10
  it('A session ends when it is not used for 30 days', async () => {
    const person = await buildPerson();
    const [used, unused] = [await asPerson(person), await asPerson(person)];
    clock.jump(29 * dayMs);
    expect((await used.get('/api/auth/me')).status).to.equal(200);
    clock.jump(2 * dayMs);
    expect((await used.get('/api/auth/me')).status, 'used on day 29').to.equal(200);
    expect((await unused.get('/api/auth/me')).status, 'never used').to.equal(401);
  });

  // AUTH-10
  it('A session ends 90 days after its start, despite any use', async () => {
    const caller = await asPerson(await buildPerson());
    for (let day = 0; day <= 87; day += 29) {
      expect((await caller.get('/api/auth/me')).status, `day ${day}`).to.equal(200);
      clock.jump(29 * dayMs);
    }
    clock.jump(-25 * dayMs);
    expect((await caller.get('/api/auth/me')).status, 'day 91').to.equal(401);
  });

  it('Signing out everywhere ends each session of the person with its own entry', async () => {
    const person = await buildPerson();
    const [here, there, stranger] = [
      await asPerson(person),
      await asPerson(person),
      await asPerson(await buildPerson()),
    ];
    const { status, headers } = await here.post('/api/auth/logout-everywhere');
    expect(status).to.equal(204);
    expect(headers.get('set-cookie')).to.match(/rolelink_session=; .*Max-Age=0/);
    const seen = await Promise.all([here, there, stranger].map((caller) => caller.get('/api/auth/me')));
    expect(seen.map((answer) => answer.status)).to.deep.equal([401, 401, 200]);
    const ended = { action: 'session.ended', 'target.id': person.chatUserId } as const;
    expect(await AuditLog.acrossGuilds.countDocuments(ended)).to.equal(2);
  });

  // API-25
  it('No cache keeps an answer of the API, nor a refusal', async () => {
    const caller = await asPerson(await buildPerson());
    const answers = await Promise.all([
      caller.get('/api/auth/me'),
      api().get('/api/auth/me'),
      api().get('/api/nothing'),
      api().get('/api/auth/login'),
    ]);
    for (const { headers } of answers) expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('A sign-in only ever returns to a path of this host', () => {
    for (const evil of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      '',
      undefined,
      '/a\r\nb',
    ]) {
      expect(localPath(evil), String(evil)).to.equal('/');
    }
    expect(localPath('/guilds/1?tab=members#top')).to.equal('/guilds/1?tab=members#top');
  });
});
