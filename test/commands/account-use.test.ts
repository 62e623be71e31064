import { expect } from 'chai';
import { Routes } from 'discord.js';
import { chatUser } from '../../src/core/actors/actor.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { consentQuestion } from '../../src/edges/interactions/replies/reply-consent.js';
import { withdrawConsent } from '../../src/features/accounts/consents.js';
import { ownAccounts, useAccount } from '../../src/features/accounts/own-accounts.js';
import { findMember } from '../../src/features/members/member-service.js';
import { callDiscord } from '../../src/platforms/discord/rest/discord-call.js';
import { addOther } from '../features/accounts/other-account.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { wordsOf } from '../sandbox/discord/sandbox-message.js';
import { withPromptSyncs } from '../support/background.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild, type TestPerson } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, phraseIn, privateAnswer } from './private-answer.js';

const here = 'Use it in this server only';
const main = 'Make it my main account';
const replace = 'Replace my account';

// VER-35, VER-36
describe('The question how to use a second account', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    [home, other] = [await buildGuild({ name: 'Home' }), await buildGuild({ name: 'Star *Fleet*' })];
    ben = await buildMember(home);
    await buildMember(other, { person: ben });
    alt = await buildPerson();
  });

  const press = (message: SandboxMessage, label: string, { guildId } = other) =>
    privateAnswer(discord.press(guildId, ben.chatUserId, message, label));
  const names = async () => (await ownAccounts(ben.chatUserId)).map(({ account }) => account.gameUserId);
  const used = async () =>
    Promise.all([home, other].map(async ({ guildId }) => (await findMember(guildId, ben.chatUserId))?.gameUserId));

  /** Proves the account by words in its profile, in the server `other`. */
  async function proveAlt() {
    const already = await privateAnswer(discord.command(other.guildId, ben.chatUserId, 'verify'));
    const choice = await press(already, 'Link another account');
    const form = await discord.press(other.guildId, ben.chatUserId, choice, 'Use a profile code');
    const phrase = await privateAnswer(discord.submit(form, { username: alt.gameUsername }));
    roblox.setAbout(alt.gameUserId, phraseIn(phrase));
    return press(phrase, "I've added it");
  }

  /** A claim by the server `other`'s token, confirmed by direct message. */
  async function confirmClaimOfAlt() {
    const wish = { guildId: other.guildId, method: 'profile_code', chatUserId: ben.chatUserId };
    const { token, phrase } = (await other.api.post('/api/verification/session', wish)).body;
    roblox.setAbout(alt.gameUserId, phrase);
    await other.api.post('/api/verification/complete', { token, gameUsername: alt.gameUsername });
    const asked = await eventually(() => discord.directMessages(ben.chatUserId).at(-1), 'the question');
    return {
      token,
      question: await (await discord.press(other.guildId, ben.chatUserId, asked, "Yes, that's me")).reply(),
    };
  }

  it('A proof by profile words asks for the use and changes nothing, and the first button is the default', async () => {
    const question = await proveAlt();
    expect(question.words).to.contain(alt.gameUsername).and.contain('Nothing has changed yet');
    expect(labelsOf(question)).to.deep.equal([here, main, replace]);
    expect(question.components.flatMap(({ components = [] }) => components.map(({ style }) => style))).to.deep.equal([
      1, 2, 2,
    ]);
    const lines = question.words.split('\n').filter((line) => line.startsWith('- '));
    expect(lines.map((line) => line.replace(/.*This changes /, ''))).to.deep.equal([
      '**Star \\*Fleet\\***.',
      '**Home** and **Star \\*Fleet\\***.',
      '**Home** and **Star \\*Fleet\\***.',
    ]);
    expect(await names()).to.deep.equal([ben.gameUserId]);
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
  });

  it('"Use it in this server only" links the account there with its roles, and the other server keeps its own', async () => {
    const { id: roleId } = discord.addRole(other.guildId, { name: 'Verified' });
    await other.api.post(`${other.path}/mappings`, { condition: { type: 'verified' }, roleIds: [roleId] });
    const done = await press(await proveAlt(), here);
    expect(done.words).to.contain(`You are now linked to [${alt.gameUsername}]`).and.contain('Nickname');
    expect(done.buttons).to.deep.equal([]);
    expect(await names()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  it('"Make it my main account" and "Replace my account" change both servers, and only the second removes', async () => {
    await press(await proveAlt(), main);
    expect([await names(), await used()]).to.deep.equal([
      [alt.gameUserId, ben.gameUserId],
      [alt.gameUserId, alt.gameUserId],
    ]);
    const former = alt.gameUserId;
    alt = await buildPerson();
    await press(await proveAlt(), replace);
    expect([await names(), await used()]).to.deep.equal([
      [alt.gameUserId, ben.gameUserId],
      [alt.gameUserId, alt.gameUserId],
    ]);
    expect(await names()).to.not.include(former);
  });

  it('A claim that is confirmed by direct message asks there, and the choice ends it', async () => {
    const { token, question } = await confirmClaimOfAlt();
    expect(labelsOf(question)).to.deep.equal([here, main, replace]);
    const session = await other.api.get(`/api/verification/session/${token}`);
    expect(session.body, 'the server learns nothing').to.include({ state: 'awaiting_confirmation' });
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
    const done = await (await discord.press(other.guildId, ben.chatUserId, question, here)).reply();
    expect(wordsOf(done)).to.contain('You are now linked').and.not.contain('Nickname');
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  // RESTR-20
  it('A use that is refused stands in words in place of its button', async () => {
    const restrictions = { ...defaultSettings.restrictions, deniedGameUserIds: [ben.gameUserId] };
    await writeSettings(other.guildId, { ...defaultSettings, restrictions });
    const question = await proveAlt();
    expect(labelsOf(question)).to.deep.equal([replace]);
    expect(question.words.match(/This server restricts another account of yours/g)).to.have.length(2);
  });

  it('A question names ten servers and counts the rest', async () => {
    for (let n = 0; n < 10; n += 1) await buildMember(await buildGuild(), { person: ben });
    const { words } = await proveAlt();
    expect(words).to.contain(', and 2 more servers.');
  });

  it('A use that nobody offers, another account and another person are refused, and change nothing', async () => {
    const question = await proveAlt();
    const customId = question.buttons[0]?.customId ?? '';
    const stranger = await buildMember(other, { linked: false });
    const theirs = await privateAnswer(discord.command(other.guildId, stranger.chatUserId, 'verify'));
    const tries = [
      [ben.chatUserId, question, customId.replace(/:here$/, ':there')],
      [ben.chatUserId, question, customId.replace(alt.gameUserId, ben.gameUserId)],
      [stranger.chatUserId, theirs, customId],
    ] as const;
    for (const [chatUserId, message, forged] of tries) {
      const pressed = await discord.pressAsShown(
        other.guildId,
        chatUserId,
        { ...message, buttons: [{ label: here, customId: forged }] },
        here,
      );
      await onceShown(() => pressed.followUps().length > 0, 'the refusal');
      expect(followUpWords(pressed)).to.match(/nothing left to answer|doesn't exist/);
    }
    expect(await names()).to.deep.equal([ben.gameUserId]);
  });

  // ID-6, DISC-17
  it('/unlink names all accounts and ends them together, and asks again when another one was added', async () => {
    const ask = () => privateAnswer(discord.command(home.guildId, ben.chatUserId, 'unlink'));
    const first = await ask();
    await press(await proveAlt(), here);
    const anew = await press(first, 'Unlink', home);
    expect(anew.words).to.contain(ben.gameUsername).and.contain(alt.gameUsername);
    expect(await names()).to.have.length(2);
    await press(anew, 'Unlink', home);
    expect(await names()).to.deep.equal([]);
    expect(await used()).to.deep.equal([undefined, undefined]);
  });

  // ID-94, ID-97
  it('The consent to a server that uses another account than the main one is taken at the first press', async () => {
    await press(await proveAlt(), here);
    await withdrawConsent(other.guildId, chatUser(ben.chatUserId, ben.username));
    const { guild } = other;
    const account = { gameUserId: alt.gameUserId, gameUsername: alt.gameUsername, gameDisplayName: 'n' };
    const channel = discord.channel(other.guildId).id;
    await callDiscord((rest) => rest.post(Routes.channelMessages(channel), { body: consentQuestion(guild, account) }));
    const message = discord.messages(channel).at(-1);
    if (message === undefined) throw new Error('Nothing was posted.');
    expect((await press(message, 'Show my account')).words).to.contain('can see your Roblox account');
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });
});

// ID-93, ID-94, ID-97
describe('/account with several accounts', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;

  beforeEach(async () => {
    ({ discord } = await world());
    [home, other] = [await buildGuild({ name: 'Home' }), await buildGuild({ name: 'Star Fleet' })];
    ben = await buildMember(home);
    await buildMember(other, { person: ben });
    alt = await addOther(ben);
  });

  const ask = (member?: string) =>
    privateAnswer(discord.command(other.guildId, ben.chatUserId, 'account', member === undefined ? {} : { member }));
  const press = (message: SandboxMessage, label: string) =>
    privateAnswer(discord.press(other.guildId, ben.chatUserId, message, label));
  const used = async ({ guildId }: TestGuild) => (await findMember(guildId, ben.chatUserId))?.gameUserId;

  it('A person sees their accounts, uses one here, makes it main and removes it, by the servers that change', async () => {
    const listed = await ask();
    expect(wordsOf(listed))
      .to.contain('(main account): used in **Home** and **Star Fleet**')
      .and.contain('no server uses it');
    expect(labelsOf(listed)).to.deep.equal([ben.gameUsername, alt.gameUsername]);
    const one = await press(listed, alt.gameUsername);
    expect(wordsOf(one)).to.match(/Use it here.*This changes \*\*Star Fleet\*\*/);
    expect(labelsOf(one)).to.deep.equal(['Use it here', main, 'Remove it']);
    const saved = await press(one, 'Use it here');
    expect(wordsOf(saved)).to.contain('Saved');
    expect([await used(home), await used(other)]).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    const preferred = await press(await press(saved, alt.gameUsername), main);
    expect([await used(home), await used(other)]).to.deep.equal([alt.gameUserId, alt.gameUserId]);
    const removed = await press(await press(preferred, alt.gameUsername), 'Remove it');
    expect(labelsOf(removed)).to.deep.equal([ben.gameUsername]);
    expect([await used(home), await used(other)]).to.deep.equal([ben.gameUserId, undefined]);
  });

  it('Other people see only the account that a server uses', async () => {
    await useAccount(chatUser(ben.chatUserId, ben.username), alt.gameUserId, { guildIds: [other.guildId] });
    const reader = await buildMember(other);
    const shown = await privateAnswer(
      discord.command(other.guildId, reader.chatUserId, 'account', { member: ben.chatUserId }),
    );
    expect(wordsOf(shown)).to.contain(alt.gameUsername).and.not.contain(ben.gameUsername);
    expect(labelsOf(shown)).to.deep.equal([]);
  });
});
