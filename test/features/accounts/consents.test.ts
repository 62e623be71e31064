import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { readSettings } from '../../../src/core/settings/settings-service.js';
import { sendDueJoinMessages } from '../../../src/edges/interactions/join-message.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { labelsOf, privateAnswer, privateWords } from '../../commands/private-answer.js';
import { wordsOf } from '../../sandbox/discord/sandbox-message.js';
import { type Api, asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { rolesBecome } from '../members/roles-become.js';
import { caughtUp, enqueueNow } from '../sync/reconciliation-setup.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, setSettings } from '../sync/sync-setup.js';

let discord: World['discord'];
let guild: GroupGuild;
let verified: string;
let unverified: string;
let person: TestPerson;
let me: Api;
const haveRoles = (...roleIds: string[]) => rolesBecome(guild, person, roleIds);
const member = () => findMember(guild.guildId, person.chatUserId);

const join = async () => {
  discord.join(guild.guildId, person.chatUserId);
  await haveRoles(unverified);
};

const send = () => sendDueJoinMessages(new AbortController().signal);

const questions = async () => {
  await eventually(async () => {
    await send();
    return (await member())?.joinMessage === undefined;
  }, 'the message');
  return discord.directMessages(person.chatUserId);
};

const command = (name: string) => discord.command(guild.guildId, person.chatUserId, name);

const press = (message: { id: string; channelId: string }, label: string) =>
  discord.press(guild.guildId, person.chatUserId, message, label);

const put = (shown: boolean, guildId = guild.guildId) => me.put(`/api/auth/me/consents/${guildId}`, { shown });

const entries = async () =>
  (await latestEntries(guild.guildId, 10)).filter(({ target }) => target.id === person.chatUserId);

/** Registers hooks: each test gets a guild that asks, and a verified person, signed in. */
function useGuild(): void {
  withPromptSyncs();

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [unverified = ''] = await mapTo(guild, { type: 'unverified' });
    await setSettings(guild, { reveal: 'ask' });
    person = await buildPerson();
    await linkPerson(null, person);
    me = await asPerson(person);
  });
}

// ID-20, ID-26, ID-30
describe('Questions for consent', () => {
  useGuild();

  // ID-23, ID-32
  it('A joining person is asked for consent once, by direct message, where the server requires it', async () => {
    await join();
    const [question, ...more] = await questions();
    if (question === undefined) throw new Error('Nobody was asked.');
    expect(more).to.deep.equal([]);
    expect(question.content).to.contain(person.gameUsername).and.contain(guild.guild.name);
    expect(labelsOf(question)).to.deep.equal(['Show my account', 'Hide my account']);
    expect(await member()).to.include({ state: 'joined' });
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => (await member())?.present === false, 'the leaving');
    await join();
    expect(await questions()).to.have.length(1);

    await listen(guild);
    const answer = await (await press(question, 'Show my account')).reply();
    expect(wordsOf(answer)).to.contain(`[${person.gameUsername}]`);
    await haveRoles(verified);
    expect(await member()).to.include({ state: 'linked', consent: 'given', gameUserId: person.gameUserId });
    const { chatUserId, gameUserId, gameUsername } = person;
    expect(await dataOf(guild, 'verification.completed')).to.deep.equal([{ chatUserId, gameUserId, gameUsername }]);
    const [linked, given] = (await entries()).filter(({ action }) => action !== 'member.synced');
    expect(linked).to.deep.include({ action: 'member.linked' });
    expect(given).to.deep.include({ action: 'consent.given', changes: { consent: { from: null, to: 'given' } } });
    expect(given?.actor).to.include({ kind: 'user', id: chatUserId });
  });

  it('The installation’s default decides whether servers ask for consent, and a server’s own setting overrides it', async () => {
    const whole = config();
    const other = await buildGuild();
    expect((await readSettings(other.guildId)).reveal).to.equal('auto');
    useConfig({ ...whole, defaultReveal: 'ask' });
    try {
      expect((await readSettings(other.guildId)).reveal).to.equal('ask');
      await setSettings(other, { reveal: 'auto' });
      expect((await readSettings(other.guildId)).reveal).to.equal('auto');
    } finally {
      useConfig(whole);
    }
  });

  // ID-23
  it('The question for consent replaces the join message', async () => {
    const { id: channelId } = discord.channel(guild.guildId);
    await setSettings(guild, { reveal: 'ask', joinMessage: { to: 'channel', channelId, text: null } });
    await join();
    expect(await questions()).to.have.length(1);
    expect(discord.messages(channelId)).to.deep.equal([]);
  });

  // ID-23, ID-24
  it('A person with closed direct messages is asked for consent in the server’s own way', async () => {
    const { id: channelId } = discord.channel(guild.guildId);
    await setSettings(guild, { reveal: 'ask', joinMessage: { to: 'channel', channelId, text: null } });
    discord.acceptDirectMessages(person.chatUserId, false);
    await join();
    expect(await questions()).to.deep.equal([]);
    const [message] = discord.messages(channelId);
    if (message === undefined) throw new Error('Nobody was told.');
    const question = await privateAnswer(press(message, 'Verify'));
    expect(labelsOf(question)).to.deep.equal(['Show my account', 'Hide my account', 'Link another account']);
  });

  // ID-24
  it('The command /verify asks for consent too, and a no holds until /verify again', async () => {
    await join();
    const question = await privateAnswer(command('verify'));
    expect(question.words).to.contain(`[${person.gameUsername}]`);
    expect(await privateWords(press(question, 'Hide my account'))).to.contain("can't see your Roblox account");
    expect(await member()).to.include({ state: 'joined', consent: 'refused' });
    const [refusal] = (await entries()).filter(({ action }) => action === 'consent.refused');
    expect(refusal).to.deep.include({ changes: { consent: { from: null, to: 'refused' } } });
    await setSettings(guild, { reveal: 'auto' });
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await member()).to.include({ state: 'joined' });
    const again = await privateAnswer(command('verify'));
    const other = await privateAnswer(press(again, 'Link another account'));
    expect(labelsOf(other)).to.contain('Continue with Roblox');
    await linkPerson(guild.guildId, person);
    expect(await member()).to.include({ state: 'linked', consent: 'given' });
    const [entry] = (await entries()).filter(({ action }) => action === 'member.linked');
    expect(entry?.changes).to.deep.include({ consent: { from: 'refused', to: 'given' } });
  });
});

describe('Changes of a consent', () => {
  useGuild();

  // ID-25, ID-32
  it('The command /privacy shows and changes the consent, in this server alone', async () => {
    const other = await buildGuild();
    await buildMember(other, { person, linked: false });
    await eventually(async () => (await findMember(other.guildId, person.chatUserId))?.state === 'linked', 'the link');
    await join();
    const asked = await privateAnswer(command('privacy'));
    expect(asked.words).to.contain("can't see your Roblox account yet");
    const shown = await privateAnswer(press(asked, 'Show my account'));
    await haveRoles(verified);
    await listen(guild);
    expect(await privateWords(press(shown, 'Hide my account'))).to.contain("You don't get any roles");
    await haveRoles(unverified);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(null);
    const { chatUserId, gameUserId, gameUsername } = person;
    const told = { chatUserId, gameUserId, gameUsername, reason: 'self', actorId: chatUserId };
    expect(await dataOf(guild, 'member.unlinked')).to.deep.equal([told]);
    const [entry] = (await entries()).filter(({ action }) => action === 'member.unlinked');
    expect(entry?.changes).to.deep.include({ consent: { from: 'given', to: 'refused' } });
    expect(await findMember(other.guildId, chatUserId)).to.include({ state: 'linked' });
  });

  // ID-32, ID-34
  it('A person lists and changes their consents over the API, and tokens cannot', async () => {
    await join();
    const list = async () => (await me.get('/api/auth/me/consents')).body.data;
    const { guildId } = guild;
    const here = { guildId, name: guild.guild.name, iconUrl: null };
    expect(await list()).to.deep.equal([{ ...here, state: 'unanswered' }]);
    const yes = await put(true);
    expect([yes.status, yes.body]).to.deep.equal([200, { ...here, state: 'shown' }]);
    expect((await put(true)).body.state).to.equal('shown');
    expect((await put(false)).body.state).to.equal('hidden');
    expect((await put(false)).body.state).to.equal('hidden');
    expect(await list()).to.deep.equal([{ ...here, state: 'hidden' }]);
    const answers = (await entries()).map(({ action }) => action).filter((action) => action !== 'member.synced');
    expect(answers).to.deep.equal(['member.unlinked', 'member.linked', 'consent.given']);
    const strange = await buildGuild();
    for (const id of [strange.guildId, '100000000000000001']) expect((await put(true, id)).status).to.equal(404);
    expect((await guild.api.get('/api/auth/me/consents')).status).to.equal(403);
  });

  // ID-27
  it('A consent is kept despite an obstacle: an admin’s unlink, or links that are off', async () => {
    await join();
    await setSettings(guild, { reveal: 'ask', autoLinkOnJoin: false });
    expect((await put(true)).body.state).to.equal('agreed');
    expect(await privateWords(command('privacy'))).to.contain("you aren't linked there yet");
    await setSettings(guild, { reveal: 'ask' });
    expect((await put(true)).body.state).to.equal('shown');
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    expect((await put(true)).body.state).to.equal('agreed');
  });

  // ID-28, ID-29
  it('A consent ends with the account, and a new one begins with another account', async () => {
    await join();
    await put(true);
    const { gameUserId, gameUsername } = await buildPerson();
    await linkPerson(null, { ...person, gameUserId, gameUsername });
    expect(await member()).to.include({ state: 'linked', gameUserId });
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    await linkPerson(null, person);
    expect(await member()).to.not.have.property('consent');
    expect(await member()).to.include({ state: 'unlinked' });
  });

  // ID-29
  it('An admin’s unlink ends an agreement, and a refusal stays', async () => {
    await join();
    await put(true);
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    expect(await member())
      .to.include({ state: 'unlinked' })
      .and.not.have.property('consent');
    await put(false);
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    expect(await member()).to.include({ consent: 'refused' });
  });

  it('A link from before the server required consent stays', async () => {
    await setSettings(guild, { reveal: 'auto' });
    const linked = await buildSettledMember(guild);
    await setSettings(guild, { reveal: 'ask' });
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await findMember(guild.guildId, linked.chatUserId)).to.include({ state: 'linked' });
    const { body } = await (await asPerson(linked)).get('/api/auth/me/consents');
    expect(body.data[0].state).to.equal('shown');
  });

  it('A person’s export holds their consent', async () => {
    await join();
    await questions();
    await put(false);
    const { body } = await me.get('/api/auth/me/export');
    const [here] = body.memberships.filter(({ guildId }: { guildId: string }) => guildId === guild.guildId);
    expect(here.consent).to.equal('refused');
    expect(here.consentAskedAt).to.be.a('string');
  });
});
