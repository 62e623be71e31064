import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { Accounts, type StoredAccount } from '../../../src/features/accounts/account-model.js';
import { sendNoticesLeft } from '../../../src/features/accounts/account-notices.js';
import { findAccount, linkAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { api } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { accountEnds } from './account-ends.js';

// ID-15
describe('Notices about changed accounts', () => {
  let discord: World['discord'];
  let person: TestPerson;
  let guildId: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    const guild = await buildGuild();
    ({ guildId } = guild);
    person = await buildMember(guild);
  });
  afterEach(() => discord.clearFaults());

  const news = (n = 1) =>
    eventually(() => {
      const messages = discord.directMessages(person.chatUserId);
      return messages.length < n ? undefined : messages.at(-1);
    }, 'the news');
  const pressed = async () => (await discord.press(guildId, person.chatUserId, await news(), "This wasn't me")).reply();
  const disowned = () =>
    AuditLog.acrossGuilds.find({ action: 'account.disowned', 'actor.id': person.chatUserId }).lean<unknown[]>();
  const platform = async () => api(await tokenFor('*', 'manager'));
  const removeByPlatform = async () =>
    (await platform()).delete(`/api/verification/unlink?chatUserId=${person.chatUserId}`);
  async function prove(who: TestPerson, game: TestPerson, method: 'oauth' | 'profile_code' = 'oauth') {
    const { gameUserId, gameUsername } = game;
    const identity = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    const { chatUserId, username: chatUsername } = who;
    const proof = { chatUserId, chatUsername, guildId: null, game: identity, method };
    return linkAccount(proof, chatUser(chatUserId, chatUsername));
  }

  it('A person gets a message about a removal by the platform, and “It was not me” explains how to undo it', async () => {
    expect((await removeByPlatform()).status).to.equal(204);
    expect((await news()).content)
      .to.contain('removed your link')
      .and.contain(person.gameUsername);
    expect((await pressed()).content)
      .to.contain('has been recorded')
      .and.contain('Continue with Roblox');
    expect(await disowned()).to.have.length(1);
    await accountEnds(person.chatUserId);
  });

  // ID-16
  it('A person gets a message about another account that the platform’s token set, and “It was not me” unlinks it', async () => {
    const other = await buildPerson();
    const { roblox } = await world();
    const bot = await platform();
    const { body } = await bot.post('/api/verification/session', {
      method: 'profile_code',
      chatUserId: person.chatUserId,
    });
    roblox.setAbout(other.gameUserId, body.phrase);
    const done = await bot.post('/api/verification/complete', { token: body.token, gameUsername: other.gameUsername });
    expect(done.status).to.equal(200);
    expect((await news()).content).to.contain(other.gameUsername);
    expect((await pressed()).content).to.contain('no longer linked');
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await disowned()).to.have.length(1);
  });

  // ID-17
  it('A person gets a message about a transfer, and gets the account back immediately by OAuth', async () => {
    const thief = await buildPerson();
    await prove(thief, person);
    expect((await news()).content).to.contain('linked to another Discord account');
    expect((await pressed()).content).to.contain('Continue with Roblox');
    expect(await findAccount(thief.chatUserId), 'no press takes it away').not.to.equal(null);
    await prove(person, person);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('A person gets no message about their own changes', async () => {
    await prove(person, await buildPerson());
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    await prove(person, person);
    expect(discord.directMessages(person.chatUserId)).to.deep.equal([]);
  });

  it('A person gets a message about a change later when Discord was away', async () => {
    discord.inject({ match: /POST .*\/users\/@me\/channels/, dropSocket: true });
    await removeByPlatform();
    const left = () => Accounts.findById(person.chatUserId).lean<StoredAccount | null>();
    await eventually(async () => (await left())?.unsettled === undefined, 'the settling');
    expect((await left())?.notices).to.have.length(1);
    discord.clearFaults();
    await sendNoticesLeft(new Date(Date.now() + 1_000), new AbortController().signal);
    expect((await news()).content).to.contain('removed your link');
    await accountEnds(person.chatUserId);
  });

  // SYNC-41
  it('A message about a change that was left while the clock was ahead is sent after the clock was set back', async () => {
    const { chatUserId, gameUserId, gameUsername } = await buildMember(await buildGuild(), { linked: false });
    const since = new Date(clock.epochMs() + 2 * hourMs);
    const notices = [{ id: 'left', kind: 'removed' as const, gameUserId, gameUsername, since }];
    await Accounts.create({ _id: chatUserId, notices });
    await mendDueTimes();
    await sendNoticesLeft(new Date(clock.epochMs() + 1_000), new AbortController().signal);
    expect(discord.directMessages(chatUserId)).to.have.length(1);
    await accountEnds(chatUserId);
  });

  it('A person gets one message about a change, even when the process was killed after Discord had it', async () => {
    const free = discord.inject({ match: /POST .*\/messages/, held: true, when: 'after', times: 1 });
    await removeByPlatform();
    const told = await eventually(async () => {
      const account = await Accounts.findById(person.chatUserId).lean<StoredAccount | null>();
      return discord.directMessages(person.chatUserId).length > 0 ? account : undefined;
    }, 'the message, which Discord has not answered yet');
    free();
    await accountEnds(person.chatUserId);
    // As a killed process would have left it.
    await Accounts.collection.insertOne(told as never);
    await sendNoticesLeft(new Date(Date.now() + 1_000), new AbortController().signal);
    const left = await Accounts.findById(person.chatUserId).lean<StoredAccount | null>();
    expect(left?.notices ?? []).to.deep.equal([]);
    expect(discord.directMessages(person.chatUserId)).to.have.length(1);
  });
});
