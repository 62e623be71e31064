import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import { purgeVerifications } from '../../../src/features/verification/verification-store.js';
import { clock } from '../../../src/lib/clock.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { answerClaim, submit, submitAndFollow, wordsOf } from '../../edges/pages/verify-pages-setup.js';
import { api, signIn } from '../../support/api.js';
import { emptyOutboxes, withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { age, stored } from './verification-setup.js';

const dayMs = 86_400_000;

// VER-11, VER-12, VER-14
describe('Claims by a guild’s token', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild({ name: 'Owls' });
    person = await buildMember(guild, { linked: false });
  });

  /** The guild's token begins `person`'s verification and completes it with `who`'s Roblox account. */
  async function claim(who: TestPerson = person, bot = guild.api) {
    const { roblox } = await world();
    const wish = { guildId: guild.guildId, method: 'profile_code', chatUserId: person.chatUserId };
    const { token, phrase } = (await bot.post('/api/verification/session', wish)).body;
    roblox.setAbout(who.gameUserId, phrase);
    const answer = await bot.post('/api/verification/complete', { token, gameUsername: who.gameUsername });
    return { token, answer, page: `/verify/${token}` };
  }

  const question = () => eventually(() => discord.directMessages(person.chatUserId).at(-1), 'the question');
  const press = async (label: string, userId = person.chatUserId) =>
    (await discord.press(guild.guildId, userId, await question(), label)).reply();

  // VER-10
  it('A guild’s token makes a claim: 202 with the page to confirm it on, and nothing is linked', async () => {
    const { token, answer, page } = await claim();
    expect(answer.status).to.equal(202);
    expect(answer.body.session).to.include({ token, state: 'awaiting_confirmation', reason: null, phrase: null });
    expect(answer.body.confirmUrl).to.equal(`${(await world()).url}${page}`);
    const left = Date.parse(answer.body.session.expiresAt) - Date.now();
    expect(left).to.be.within(dayMs - 60_000, dayMs);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'joined' });
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'verification.claimed' });
    expect(entry?.actor.kind).to.equal('bot_token');
    const again = await guild.api.post('/api/verification/complete', { token, gameUsername: person.gameUsername });
    expect([again.status, again.body.code]).to.deep.equal([409, 'awaiting_confirmation']);
  });

  // ID-14
  it('A guild’s claim replaces no account, in no guild', async () => {
    const elsewhere = await buildGuild();
    await buildMember(elsewhere, { person });
    const other = await buildPerson();
    expect((await claim(other)).answer.status).to.equal(202);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await findMember(elsewhere.guildId, person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('A claim is asked about by direct message with name and picture, and linked by “Yes, that is me”', async () => {
    await listen(guild);
    await claim();
    const { content, embeds, buttons } = await question();
    expect(content).to.contain('**Owls**').and.contain(`**${person.gameUsername}**`);
    expect(JSON.stringify(embeds)).to.contain(person.gameUserId);
    expect(buttons.map(({ label }) => label)).to.deep.equal(["Yes, that's me", "That's not me"]);
    const reply = await press("Yes, that's me");
    expect(reply.content).to.contain('You are now linked');
    expect(reply.buttons).to.deep.equal([]);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
    const { chatUserId, gameUserId, gameUsername } = person;
    expect(await dataOf(guild, 'verification.completed')).to.deep.equal([{ chatUserId, gameUserId, gameUsername }]);
    const completed = (await latestEntries(guild.guildId, 20)).find(
      ({ action }) => action === 'verification.completed',
    );
    expect(completed?.actor).to.include({ kind: 'user', id: chatUserId });
  });

  it('A claim ends by “That is not me”, which is logged, and takes one answer', async () => {
    await listen(guild);
    const { token } = await claim();
    const asked = await question();
    expect((await press("That's not me")).content).to.contain('Nothing was linked');
    const { body } = await guild.api.get(`/api/verification/session/${token}`);
    expect(body).to.include({ state: 'failed', reason: 'rejected_by_person' });
    expect(await findAccount(person.chatUserId)).to.equal(null);
    const entry = (await latestEntries(guild.guildId, 20)).find(({ action }) => action === 'verification.failed');
    expect(entry?.actor).to.include({ kind: 'user', id: person.chatUserId });
    expect(entry?.changes?.reason).to.deep.equal({ from: null, to: 'rejected_by_person' });
    const [told] = await dataOf(guild, 'verification.failed');
    expect(told).to.include({ reason: 'rejected_by_person', chatUserId: person.chatUserId });
    // The buttons went with the answer.
    expect(asked.buttons).to.have.length(2);
    expect(discord.directMessages(person.chatUserId).at(-1)?.buttons).to.deep.equal([]);
  });

  it('A claim is confirmed or refused on the page too, which only its person sees', async () => {
    const { page, token } = await claim();
    const visitor = { me: await signIn(person.chatUserId), page, token };
    const shown = (await visitor.me.get(page)).body;
    expect(wordsOf(shown)).to.contain(`A bot of Owls says that you are this Roblox account: ${person.gameUsername}`);
    expect(shown).to.match(new RegExp(`<img src="[^"]*${person.gameUserId}[^"]*"`));
    const stranger = { ...visitor, me: await signIn((await buildPerson()).chatUserId) };
    const named = { gameUserId: person.gameUserId, method: 'profile_code' };
    expect((await submit(stranger as never, { action: 'confirm', ...named })).status).to.equal(404);
    expect((await guild.api.post(page, 'action=confirm')).status).to.equal(403);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    await answerClaim(visitor as never, 'confirm');
    const done = await visitor.me.get(page);
    expect(wordsOf(done.body)).to.contain('is now linked to the Discord account');
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });

    const second = await claim(await buildPerson());
    await answerClaim({ ...visitor, page: second.page } as never, 'reject');
    const refused = await visitor.me.get(second.page);
    expect(wordsOf(refused.body)).to.contain('so nothing was linked');
    expect(await stored(second.token)).to.include({ state: 'failed', reason: 'rejected_by_person' });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('A claim expires after a day, cannot be confirmed then, and is removed', async () => {
    const { token, page } = await claim();
    await question();
    await age({ _id: hashSecret(token) }, dayMs);
    const { body } = await guild.api.get(`/api/verification/session/${token}`);
    expect(body).to.include({ state: 'expired', reason: 'expired' });
    const visitor = { me: await signIn(person.chatUserId), page };
    await submitAndFollow(visitor as never, {
      action: 'confirm',
      gameUserId: person.gameUserId,
      method: 'profile_code',
    });
    expect(await findAccount(person.chatUserId)).to.equal(null);
    await age({ _id: hashSecret(token) }, dayMs);
    // Not before its log entries have been relayed.
    await emptyOutboxes();
    await purgeVerifications(clock.now());
    expect(await Verifications.exists({ _id: hashSecret(token) })).to.equal(null);
    expect((await guild.api.get(`/api/verification/session/${token}`)).status).to.equal(404);
  });

  it('The platform’s own token links immediately, and the person gets a message', async () => {
    const platform = api(await tokenFor('*', 'manager'));
    const { answer } = await claim(person, platform);
    expect([answer.status, answer.body.session.state]).to.deep.equal([200, 'completed']);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect((await question()).buttons.map(({ label }) => label)).to.deep.equal(["This wasn't me"]);
  });
});
