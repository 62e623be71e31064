import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { failureWords } from '../../../src/features/verification/failure-words.js';
import { alertOf, submitAndFollow, type Visitor, wordsOf } from '../../edges/pages/verify-pages-setup.js';
import { api, asPerson, cookiesOf } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { buildApplicant, consent, stored } from './verification-setup.js';

let discord: World['discord'];
let roblox: World['roblox'];
let url: string;

const connect = (person: TestPerson, as = person, change: object = {}) =>
  discord.connect(person.chatUserId, { id: as.gameUserId, name: as.gameUsername, ...change });

/** Signed in without Discord's pages, as one address's sign-ins are counted. */
async function visit(options: Parameters<typeof buildApplicant>[0] = {}): Promise<Visitor> {
  const applicant = await buildApplicant(options);
  return { ...applicant, me: await asPerson(applicant.person), page: `/verify/${applicant.token}` };
}

/** Follows the page's link to Discord as `person`, and comes back; returns any other answer. */
async function goToDiscord({ page }: Pick<Visitor, 'page'>, { chatUserId }: Pick<TestPerson, 'chatUserId'>) {
  const begun = await fetch(`${url}/api/auth/login?returnTo=${encodeURIComponent(`${page}/discord`)}`, {
    redirect: 'manual',
  });
  const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
  return fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
}

/** Registers hooks: the platforms are at hand. */
function useWorld(): void {
  before(async () => {
    ({ discord, roblox, url } = await world());
  });
}

// VER-19, VER-20, VER-21
describe('The Roblox account connected on Discord', () => {
  useWorld();

  it('One press links the account connected on Discord, and signs the person in', async () => {
    const guild = await buildGuild();
    await listen(guild);
    const visitor = await visit({ guild });
    const { person, page, me, token } = visitor;
    connect(person);
    const link = /<a class="button plain" href="([^"]+)">Use my Discord connection instead/.exec(
      (await me.get(page)).body,
    );
    expect(link?.[1]).to.equal(`${page}/discord`);
    const signedOut = await api().get(`${page}/discord`);
    const login = `/api/auth/login?returnTo=${encodeURIComponent(`${page}/discord`)}`;
    expect(signedOut.headers.get('location')).to.equal(login);
    expect((await me.get(`${page}/discord`)).headers.get('location')).to.equal(login);

    const back = await goToDiscord(visitor, person);
    expect([back.status, back.headers.get('location')]).to.deep.equal([303, page]);
    const shown = await fetch(`${url}${page}`, { headers: { cookie: cookiesOf(back) } });
    expect(wordsOf(await shown.text())).to.contain(`The Roblox account ${person.gameUsername} is now linked`);
    const { gameUserId, gameUsername, chatUserId } = person;
    expect(await findAccount(chatUserId)).to.include({ gameUserId, method: 'discord_connection' });
    expect(await findMember(guild.guildId, chatUserId)).to.include({ state: 'linked' });
    expect(await stored(token)).to.include({ state: 'completed', method: 'discord_connection', attempts: 1 });
    expect(await dataOf(guild, 'verification.completed')).to.deep.equal([{ chatUserId, gameUserId, gameUsername }]);
    const entry = (await latestEntries(guild.guildId, 20)).find(({ action }) => action === 'verification.completed');
    expect(entry?.changes?.method).to.deep.equal({ from: null, to: 'discord_connection' });
    await goToDiscord(visitor, person);
    expect(await stored(token)).to.include({ state: 'completed', attempts: 1 });
  });

  it('The service asks Discord for connections only where the person wants to link one', async () => {
    const { page } = await visit();
    const scopeOf = async (returnTo: string) => {
      const begun = await api().get(`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
      return new URL(begun.headers.get('location') ?? '').searchParams.get('scope');
    };
    expect(await scopeOf(`${page}/discord`)).to.equal('identify connections');
    for (const other of [page, '/me', `${page}/discord/x`, `/x${page}/discord`]) {
      expect(await scopeOf(other)).not.to.contain('connections');
    }
  });

  it('A person without a verified Roblox connection on Discord sees an explanation, and links one later', async () => {
    const visitor = await visit();
    const { person, me, page, token } = visitor;
    connect(person, person, { type: 'steam' });
    connect(person, person, { verified: false });
    connect(person, person, { revoked: true });
    expect((await goToDiscord(visitor, person)).status).to.equal(303);
    const shown = (await me.get(page)).body;
    expect(alertOf(shown)).to.equal(failureWords.connection_missing);
    expect(wordsOf(shown)).to.contain('Continue with Discord');
    expect(await stored(token)).to.include({ state: 'failed', reason: 'connection_missing', attempts: 1 });
    connect(person);
    await goToDiscord(visitor, person);
    expect(await stored(token)).to.include({ state: 'completed', attempts: 2 });
  });

  it('A person with several connections chooses one of those that Discord returned', async () => {
    const visitor = await visit();
    const { person, me, page } = visitor;
    const [second, stranger] = [await buildPerson(), await buildPerson()];
    connect(person);
    connect(person, second);
    await goToDiscord(visitor, person);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    const shown = wordsOf((await me.get(page)).body);
    expect(shown).to.contain('Which one do you want to link?').and.contain(second.gameUsername);
    const refused = await submitAndFollow(visitor, { action: 'choose', gameUserId: stranger.gameUserId });
    expect(alertOf(refused.body)).to.equal(failureWords.connection_missing);
    await goToDiscord(visitor, person);
    await submitAndFollow(visitor, { action: 'choose', gameUserId: second.gameUserId });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: second.gameUserId });
  });

  it('A connection is not accepted before Discord was asked', async () => {
    const visitor = await visit();
    const { person, token } = visitor;
    const retried = await visitor.me.post('/api/verification/retry', { token, method: 'discord_connection' });
    expect(retried.body).to.include({ method: 'discord_connection', authorizeUrl: `${url}${visitor.page}/discord` });
    const answer = await visitor.me.post('/api/verification/complete', { token, gameUsername: person.gameUsername });
    expect([answer.status, answer.body.errors[0].path]).to.deep.equal([400, 'token']);
    await submitAndFollow(visitor, { action: 'retry', method: 'discord_connection' });
    const body = `action=choose&gameUserId=${person.gameUserId}`;
    const chosen = await visitor.me.post(visitor.page, body, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(chosen.status).to.equal(400);
    expect(await findAccount(person.chatUserId)).to.equal(null);
  });
});

describe('Limits of a connection', () => {
  useWorld();

  it('A connection with another name than Roblox has is refused', async () => {
    const visitor = await visit();
    connect(visitor.person, visitor.person, { name: 'SomebodyElse' });
    await goToDiscord(visitor, visitor.person);
    expect(alertOf((await visitor.me.get(visitor.page)).body)).to.equal(failureWords.connection_differs);
    expect(await findAccount(visitor.person.chatUserId)).to.equal(null);
  });

  it('A connection is accepted only for the person of the session', async () => {
    const visitor = await visit();
    const stranger = await buildPerson();
    connect(stranger);
    const refused = await goToDiscord(visitor, stranger);
    expect([refused.status, refused.headers.getSetCookie().join().includes('rolelink_session=')]).to.deep.equal([
      404,
      false,
    ]);
    expect((await (await asPerson(stranger)).get(`${visitor.page}/discord`)).status).to.equal(404);
    expect(await stored(visitor.token)).to.include({ state: 'pending', method: 'profile_code', attempts: 0 });
    expect(await findAccount(stranger.chatUserId)).to.equal(null);
  });

  it('A connection is accepted only if the server allows sign-in', async () => {
    const visitor = await visit({ settings: { methods: ['profile_code'] } });
    connect(visitor.person);
    expect((await visitor.me.get(visitor.page)).body).not.to.contain('/discord"');
    expect((await goToDiscord(visitor, visitor.person)).status).to.equal(409);
    expect(await findAccount(visitor.person.chatUserId)).to.equal(null);
  });

  it('A connection waits, uncounted, while Roblox does not answer', async () => {
    const visitor = await visit();
    connect(visitor.person);
    roblox.inject({ match: /users/, status: 503 });
    const away = await goToDiscord(visitor, visitor.person);
    roblox.clearFaults();
    expect(away.status).to.equal(503);
    expect(await stored(visitor.token)).to.include({ state: 'pending', attempts: 0 });
  });

  // VER-22, ID-10
  it('A connection moves accounts proved by words immediately, and waits for owners with a Roblox sign-in', async () => {
    const guild = await buildGuild();
    const owner = await buildMember(guild);
    const first = await visit({ guild });
    connect(first.person, owner);
    await goToDiscord(first, first.person);
    expect(await findAccount(first.person.chatUserId)).to.include({ gameUserId: owner.gameUserId });
    expect(await findAccount(owner.chatUserId)).to.equal(null);

    // Words prove it too, and leave it as hard to take as it is; so another connection waits.
    const second = await visit({ guild });
    connect(second.person, owner);
    await goToDiscord(second, second.person);
    expect(await stored(second.token)).to.include({ state: 'awaiting_transfer' });
    expect(await findAccount(first.person.chatUserId)).to.include({ method: 'discord_connection' });
    const asked = await eventually(() => discord.directMessages(first.person.chatUserId).at(-1), 'the question');
    expect(asked.content).to.contain(`has connected your Roblox account **${owner.gameUsername}** there`);

    // Signing in on Roblox does not.
    const third = await visit({ guild, method: 'oauth' });
    const { back } = await consent({
      session: third.session,
      person: { ...third.person, gameUserId: owner.gameUserId },
    });
    await third.me.get(back.pathname + back.search);
    expect(await findAccount(third.person.chatUserId)).to.include({ gameUserId: owner.gameUserId, method: 'oauth' });
  });
});
