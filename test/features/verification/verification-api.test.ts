import { expect } from 'chai';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { api, signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { consent, failRoblox, stored } from './verification-setup.js';

const sessionPath = '/api/verification/session';
const completePath = '/api/verification/complete';
const retryPath = '/api/verification/retry';

async function buildSignedIn() {
  const guild = await buildGuild();
  const person = await buildMember(guild, { linked: false });
  return { ...guild, person, me: await signIn(person.chatUserId) };
}

describe('The verification API', () => {
  it('A person verifies by words: create, read, complete', async () => {
    const { guildId, person, me } = await buildSignedIn();
    const { discord, roblox, url } = await world();
    const created = await me.post(sessionPath, { guildId, method: 'profile_code' });
    expect(created.status).to.equal(201);
    const { token, phrase, createdAt, expiresAt, ...session } = created.body;
    expect(session).to.deep.equal({
      guildId,
      chatUserId: person.chatUserId,
      method: 'profile_code',
      state: 'pending',
      authorizeUrl: null,
      url: `${url}/verify/${token}`,
      gameUsername: null,
      reason: null,
      attempts: 0,
      attemptsLeft: 5,
    });
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.be.within(890_000, 900_000);
    const read = await me.get(`${sessionPath}/${token}`);
    expect({ status: read.status, body: read.body }).to.deep.equal({ status: 200, body: created.body });

    roblox.setAbout(person.gameUserId, phrase);
    const completed = await me.post(completePath, { token, gameUsername: person.gameUsername });
    expect(completed.status).to.equal(200);
    expect(completed.body.session).to.include({ token, state: 'completed', phrase: null, attempts: 1 });
    expect(completed.body.account).to.include({ chatUserId: person.chatUserId, gameUserId: person.gameUserId });
    expect(completed.body.sync).to.deep.include({ added: [], removed: [] });
    expect(discord.member(guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    expect(await findMember(guildId, person.chatUserId)).to.include({ state: 'linked' });
    const again = await me.post(completePath, { token, gameUsername: person.gameUsername });
    expect({ status: again.status, code: again.body.code }).to.deep.equal({ status: 409, code: 'already_completed' });
  });

  it('A person verifies by OAuth, without a guild', async () => {
    const person = await buildPerson();
    const me = await signIn(person.chatUserId);
    const { body: session, status } = await me.post(sessionPath, { method: 'oauth' });
    expect(status).to.equal(201);
    expect(session).to.include({ guildId: null, phrase: null });
    const { code, state } = await consent({ session, person });
    const completed = await me.post(completePath, { token: session.token, code, state });
    expect(completed.status).to.equal(200);
    expect(completed.body).to.deep.include({ sync: null });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId, method: 'oauth' });
  });

  it('A guild’s bot verifies its members, in its own guild when it names none', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    const bot = api(await tokenFor(guild.guildId, 'manager'));
    const { chatUserId } = person;
    const created = await bot.post(sessionPath, { method: 'profile_code', chatUserId });
    expect(created.status).to.equal(201);
    expect(created.body).to.include({ guildId: guild.guildId, chatUserId });
    const { roblox } = await world();
    roblox.setAbout(person.gameUserId, created.body.phrase);
    const { token } = created.body;
    const completed = await bot.post(completePath, { token, gameUsername: person.gameUsername });
    // The proof is a claim: see claims.test.ts.
    expect(completed.status).to.equal(202);
    expect(completed.body.session).to.include({ state: 'awaiting_confirmation', chatUserId });
  });

  it('The platform’s bot verifies any person, with or without a guild', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const platform = api(await tokenFor('*', 'manager'));
    const inGuild = await platform.post(sessionPath, { guildId: guild.guildId, method: 'profile_code', chatUserId });
    expect(inGuild.body).to.include({ guildId: guild.guildId, chatUserId });
    const anywhere = await platform.post(sessionPath, { method: 'profile_code', chatUserId });
    expect(anywhere.body).to.include({ guildId: null, chatUserId });
    expect((await platform.get(`${sessionPath}/${anywhere.body.token}`)).status).to.equal(200);
    expect((await guild.api.get(`${sessionPath}/${anywhere.body.token}`)).status).to.equal(404);
  });

  it('A failed proof is answered with 422 and its reason, and can be retried', async () => {
    const { guildId, person, me } = await buildSignedIn();
    const { body: session } = await me.post(sessionPath, { guildId, method: 'profile_code' });
    const { token, phrase } = session;
    const failed = await me.post(completePath, { token, gameUsername: person.gameUsername });
    expect(failed.status).to.equal(422);
    expect(failed.headers.get('content-type')).to.match(/^application\/problem\+json/);
    expect(failed.body).to.include({ code: 'verification_failed', reason: 'code_not_found', status: 422 });
    const read = await me.get(`${sessionPath}/${token}`);
    expect(read.body).to.include({ state: 'failed', reason: 'code_not_found', gameUsername: person.gameUsername });

    const retried = await me.post(retryPath, { token });
    expect(retried.status).to.equal(200);
    expect(retried.body).to.include({ state: 'pending', reason: null, attempts: 1, attemptsLeft: 4, token });
    expect(retried.body.phrase).to.be.a('string').and.not.equal(phrase);
    const switched = await me.post(retryPath, { token, method: 'oauth' });
    expect(switched.body).to.include({ method: 'oauth', phrase: null });
    expect(switched.body.authorizeUrl).to.match(/^http/);
  });

  it('The verification API names every problem of a bad body in one answer', async () => {
    const { api: bot } = await buildGuild();
    const cases: [string, unknown, string[]][] = [
      [sessionPath, {}, ['method']],
      [
        sessionPath,
        { method: 'magic', guildId: 12, chatUserId: 'x', more: 1 },
        ['chatUserId', 'guildId', 'method', 'more'],
      ],
      [sessionPath, { method: 'oauth' }, ['chatUserId']],
      [retryPath, { method: 'sms' }, ['method', 'token']],
      [completePath, { gameUsername: 'x' }, ['token']],
      [completePath, { token: 'x', code: 'y', gameUsername: 'z' }, ['gameUsername', 'state']],
      [completePath, { token: 'x', state: 'y' }, ['code']],
    ];
    for (const [path, body, paths] of cases) {
      const { status, body: problem } = await bot.post(path, body);
      expect({ status, code: problem.code }).to.deep.equal({ status: 400, code: 'invalid_request' });
      const named = problem.errors.map(({ path: where }: { path: string }) => where);
      expect(named.sort(), JSON.stringify(body)).to.deep.equal(paths);
    }
  });
});

describe('Limits of the verification API', () => {
  it('The verification API accepts ten writes a minute from one caller, and then answers with Retry-After', async () => {
    const { guildId, me } = await buildSignedIn();
    const answers = [];
    for (let count = 0; count < 11; count += 1) answers.push(await me.post(retryPath, { token: 'none' }));
    expect(answers.slice(0, 10).map(({ status }) => status)).to.deep.equal(Array(10).fill(404));
    const limited = answers[10];
    expect(limited?.status).to.equal(429);
    expect(limited?.body.code).to.equal('rate_limited');
    expect(Number(limited?.headers.get('retry-after'))).to.be.within(1, 60);
    const refused = await me.post(sessionPath, { guildId, method: 'profile_code' });
    expect(refused.status).to.equal(429);
  });

  it('A guild’s tokens make ten writes a minute about one person, and as many about each', async () => {
    const guild = await buildGuild();
    const bots = [guild.api, api(await tokenFor(guild.guildId, 'manager'))];
    const people = [];
    for (let count = 0; count < 3; count += 1) people.push(await buildMember(guild, { linked: false }));
    const [first, ...others] = people;
    const begin = (bot = guild.api, person = first) =>
      bot.post(sessionPath, { method: 'profile_code', chatUserId: person?.chatUserId });
    const { token } = (await begin()).body;
    for (let count = 1; count < 10; count += 1) {
      expect((await bots[count % 2]?.post(retryPath, { token }))?.status, `write ${count}`).to.equal(200);
    }
    const limited = await bots[1]?.post(completePath, { token, gameUsername: 'x' });
    expect([limited?.status, limited?.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(limited?.headers.get('retry-after'))).to.be.within(1, 60);
    for (const person of others) expect((await begin(guild.api, person)).status).to.equal(201);
    // Other callers' writes about the person don't count with them.
    const me = await signIn(first?.chatUserId ?? '');
    expect((await me.post(sessionPath, { guildId: guild.guildId, method: 'profile_code' })).status).to.equal(201);
  });

  it('A guild’s tokens make 600 verification writes a minute together', async () => {
    const guild = await buildGuild();
    const bots = [guild.api, api(await tokenFor(guild.guildId, 'manager'))];
    const unknown = 'x'.repeat(43);
    const answers = [];
    for (let round = 0; round < 61; round += 1) {
      const batch = Array.from({ length: 10 }, (_, n) => bots[n % 2]?.post(retryPath, { token: unknown }));
      answers.push(...(await Promise.all(batch)));
    }
    expect(answers.filter((answer) => answer?.status === 404)).to.have.length(600);
    expect(answers.at(-1)?.status).to.equal(429);
    const other = await buildGuild();
    expect((await other.api.post(retryPath, { token: unknown })).status).to.equal(404);
  });

  // VER-6
  it('The API answers 503 with Retry-After while Roblox is down, and the session stays pending', async () => {
    const { guildId, me } = await buildSignedIn();
    const { token } = (await me.post(sessionPath, { guildId, method: 'profile_code' })).body;
    const restore = await failRoblox(/users\.roblox\.com/);
    const down = await me.post(completePath, { token, gameUsername: 'x' }).finally(restore);
    expect([down.status, down.body.code]).to.deep.equal([503, 'game_platform_unavailable']);
    expect(Number(down.headers.get('retry-after'))).to.be.greaterThan(0);
    expect((await me.get(`${sessionPath}/${token}`)).body).to.include({ state: 'pending', attempts: 0, reason: null });
  });

  // VER-9
  it('A verification session is out of reach for every other caller', async () => {
    const { guildId, me } = await buildSignedIn();
    const { body: session } = await me.post(sessionPath, { guildId, method: 'profile_code' });
    const { token } = session;
    const stranger = await signIn((await buildPerson()).chatUserId);
    const otherGuild = await buildGuild();
    for (const other of [stranger, otherGuild.api]) {
      const answers = [
        await other.get(`${sessionPath}/${token}`),
        await other.post(completePath, { token, gameUsername: 'x' }),
        await other.post(retryPath, { token }),
      ];
      for (const { status, body } of answers) {
        expect({ status, code: body.code }).to.deep.equal({ status: 404, code: 'session_not_found' });
      }
    }
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0 });
    for (const unknown of ['x'.repeat(43), 'x', '%00']) {
      expect((await me.get(`${sessionPath}/${unknown}`)).status).to.equal(404);
    }
  });
});
