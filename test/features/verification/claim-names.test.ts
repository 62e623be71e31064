import { expect } from 'chai';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { findAccount, findOwnAccount } from '../../../src/features/accounts/account-service.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { followUpWords } from '../../commands/private-answer.js';
import { hiddenFields, submit, wordsOf } from '../../edges/pages/verify-pages-setup.js';
import type { SandboxMessage } from '../../sandbox/discord/sandbox-message.js';
import { type Api, api, asPerson } from '../../support/api.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { onceShown } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { age, stored } from './verification-setup.js';

const dayMs = 86_400_000;

describe('Answers to a claim', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let person: TestPerson;
  let game: Api;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild({ name: 'Owls' });
    person = await buildMember(guild, { linked: false });
    game = api(await tokenFor(guild.guildId, 'verifier'));
  });

  const begin = async (method: string) =>
    (
      await guild.api.post('/api/verification/session', {
        guildId: guild.guildId,
        method,
        chatUserId: person.chatUserId,
      })
    ).body as { token: string; phrase: string };
  const redeem = (code: string, gameUserId: string) =>
    game.post(`${guild.path}/verification/game-codes/redeem`, { code, gameUserId });
  const retry = (token: string, method: string) => guild.api.post('/api/verification/retry', { token, method });
  const messages = () => discord.directMessages(person.chatUserId);
  const asked = (about: TestPerson) =>
    eventually(() => messages().findLast(({ content }) => content.includes(about.gameUsername)), 'the question');
  /** As the question stood before a newer one took its place in the same message. */
  const pressAsShown = (message: SandboxMessage, label: string) =>
    discord.pressAsShown(guild.guildId, person.chatUserId, message, label);
  const press = (message: SandboxMessage, label: string) =>
    discord.press(guild.guildId, person.chatUserId, message, label);

  /** The guild's token proves `who`'s Roblox account for the session, by a phrase in its profile. */
  async function prove(token: string, phrase: string, who: TestPerson) {
    roblox.setAbout(who.gameUserId, phrase);
    return guild.api.post('/api/verification/complete', { token, gameUsername: who.gameUsername });
  }

  /** A claim by a code for the person's own account, and after its day another one for `other` in the same session. */
  async function claimTwice(other: TestPerson) {
    const { token, phrase } = await begin('game_code');
    await redeem(phrase, person.gameUserId);
    const first = await asked(person);
    const page = (await (await asPerson(person)).get(`/verify/${token}`)).body as string;
    await age({ _id: hashSecret(token) }, dayMs);
    const { body } = await retry(token, 'profile_code');
    expect((await prove(token, body.phrase, other)).status).to.equal(202);
    await asked(other);
    return { token, first, page };
  }

  // VER-13
  it('An old question’s answer does not count for another account claimed in the session since', async () => {
    const other = await buildPerson();
    const { token, first } = await claimTwice(other);
    for (const label of ["Yes, that's me", "That's not me"]) {
      const pressed = await pressAsShown(first, label);
      await onceShown(() => pressed.followUps().length > 0);
      expect(followUpWords(pressed)).to.contain('nothing left to answer');
      expect(await findAccount(person.chatUserId)).to.equal(null);
      expect(await stored(token)).to.include({ state: 'awaiting_confirmation' });
    }
    await (await press(await asked(other), "Yes, that's me")).reply();
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: other.gameUserId });
  });

  // VER-13
  it('An old question’s answer does not count for a claim of the same account in every server', async () => {
    const { first, token } = await claimTwice(person);
    const pressed = await pressAsShown(first, "Yes, that's me");
    await onceShown(() => pressed.followUps().length > 0);
    expect(followUpWords(pressed)).to.contain('nothing left to answer');
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await stored(token)).to.include({ state: 'awaiting_confirmation', method: 'profile_code' });
  });

  // VER-13
  it('An answer on the page names the account and method that the page showed', async () => {
    const other = await buildPerson();
    const { token, page } = await claimTwice(other);
    expect(hiddenFields(page)).to.deep.equal({ gameUserId: person.gameUserId, method: 'game_code' });
    const me = await asPerson(person);
    const visitor = { me, page: `/verify/${token}` } as never;
    expect((await submit(visitor, { action: 'confirm', ...hiddenFields(page) })).status).to.equal(303);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await stored(token)).to.include({ state: 'awaiting_confirmation' });
    expect(wordsOf((await me.get(`/verify/${token}`)).body)).to.contain(other.gameUsername);
    expect((await submit(visitor, { action: 'confirm' })).status).to.equal(400);
  });

  // VER-2
  it('A guild’s token cannot restart a session that waits for an answer, and its person can', async () => {
    const { token, phrase } = await begin('game_code');
    await redeem(phrase, person.gameUserId);
    for (const method of ['game_code', 'profile_code']) {
      const refused = await retry(token, method);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'awaiting_confirmation']);
    }
    await (await press(await asked(person), "Yes, that's me")).reply();
    expect(await findOwnAccount(person.chatUserId)).to.include({ method: 'game_code', gameUserId: person.gameUserId });

    const second = await begin('game_code');
    await redeem(second.phrase, person.gameUserId);
    const me = await asPerson(person);
    const { status } = await me.post('/api/verification/retry', { token: second.token, method: 'profile_code' });
    expect(status).to.equal(200);
  });

  // VER-2
  it('A guild’s token cannot end a transfer that waits for an answer', async () => {
    const owner = await buildMember(guild);
    await Accounts.updateOne({ _id: owner.chatUserId }, { $set: { method: 'oauth' } });
    const { token, phrase } = await begin('profile_code');
    await prove(token, phrase, owner);
    await (await press(await asked(owner), "Yes, that's me")).reply();
    expect(await stored(token)).to.include({ state: 'awaiting_transfer' });
    const refused = await retry(token, 'profile_code');
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'awaiting_transfer']);
    expect(await stored(token)).to.include({ state: 'awaiting_transfer' });
  });
});
