import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { findAccount } from '../../src/features/accounts/account-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { buildGuild, buildMember, type TestGuild, type TestPerson } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, phraseIn, privateAnswer, privateWords } from './private-answer.js';

/** Slower than the service waits before it acknowledges, on a slow machine too. */
const slowMs = 6_000;

let discord: World['discord'];
let roblox: World['roblox'];
let guild: TestGuild;
let person: TestPerson;

/** Gives each test a guild, and a member without a verification. */
function withPerson(): void {
  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    person = await buildMember(guild, { linked: false });
  });
}

const verify = () => discord.command(guild.guildId, person.chatUserId, 'verify');

const press = (message: { id: string; channelId: string }, label: string) =>
  discord.press(guild.guildId, person.chatUserId, message, label);
const setRules = (rules: Partial<GuildSettings['verification']>) =>
  writeSettings(guild.guildId, { ...defaultSettings, verification: { ...defaultSettings.verification, ...rules } });

/** Goes as far as the message with the phrase. */
async function askForPhrase(username = person.gameUsername) {
  const form = await press(await privateAnswer(verify()), 'Use a profile code');
  return privateAnswer(discord.submit(form, { username }));
}

async function mappedRole(): Promise<string> {
  const role = discord.addRole(guild.guildId, { name: 'Verified' });
  const draft = { condition: { type: 'verified' }, roleIds: [role.id] };
  expect((await guild.api.post(`${guild.path}/mappings`, draft)).status).to.equal(201);
  return role.id;
}

describe('Verification by a profile code', () => {
  withPerson();

  // DISC-12
  it('A member gets from the panel to linked account, role and nickname by buttons and a form', async () => {
    const roleId = await mappedRole();
    await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'panel'));
    const panel = discord.messages(discord.channel(guild.guildId).id).at(-1);
    if (panel === undefined) throw new Error('There is no panel.');

    const choice = await privateAnswer(press(panel, 'Verify'));
    expect(labelsOf(choice)).to.deep.equal(['Continue with Roblox', 'Use my Discord connection', 'Use a profile code']);
    const form = await press(choice, 'Use a profile code');
    expect(form.modal?.fields[0]).to.include({ customId: 'username', label: 'Roblox username', required: true });
    const phrase = await privateAnswer(discord.submit(form, { username: person.gameUsername }));
    expect(phrase.id, 'in place of the choice').to.equal(choice.id);
    expect(phrase.words).to.contain(person.gameUsername).and.contain('About section');
    expect(labelsOf(phrase)).to.deep.equal(["I've added it", 'New words']);
    expect(phrase.content, 'outside of the coloured part').to.contain(phraseIn(phrase));

    roblox.setAbout(person.gameUserId, `hello\n${phraseIn(phrase)} :)`);
    const done = await privateAnswer(press(phrase, "I've added it"));
    expect(done.words).to.contain(`You are now linked to [${person.gameUsername}]`);
    expect(done.words).to.contain(`Roles added: <@&${roleId}>`).and.contain(`Nickname: ${person.gameUsername}`);
    expect(done.buttons).to.deep.equal([]);

    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId, method: 'profile_code' });
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
    expect(discord.member(guild.guildId, person.chatUserId)).to.deep.equal({
      roleIds: [roleId],
      nickname: person.gameUsername,
    });
  });

  it('/verify links to the page of the session in which the profile code continues', async () => {
    const choice = await privateAnswer(verify());
    const { url: page } = await world();
    const token = choice.buttons[0]?.url?.replace(`${page}/verify/`, '');
    expect(choice.buttons[1]?.url).to.equal(`${page}/verify/${token}/discord`);
    expect(choice.buttons[2]?.customId).to.equal(`profile-code:${token}`);
    const form = await press(choice, 'Use a profile code');
    await privateAnswer(discord.submit(form, { username: person.gameUsername }));
    const session = await guild.api.get(`/api/verification/session/${token}`);
    expect(session.body).to.include({ chatUserId: person.chatUserId, guildId: guild.guildId, method: 'profile_code' });
  });

  // DISC-9
  it('A verification reports that the bot was blocked, and gives the remedy to the team alone', async () => {
    const roleId = await mappedRole();
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 1);
    const phrase = await askForPhrase();
    roblox.setAbout(person.gameUserId, phraseIn(phrase));
    const { words } = await privateAnswer(press(phrase, "I've added it"));
    expect(words)
      .to.contain("⚠️ 1 role couldn't be changed.")
      .and.not.match(/Drag|Settings|Verified/);
    const own = await privateWords(discord.command(guild.guildId, person.chatUserId, 'update'));
    expect(own)
      .to.contain("⚠️ 1 role couldn't be changed.")
      .and.not.match(/Drag|Settings|Verified/);
    const { chatUserId } = person;
    const team = await privateWords(discord.command(guild.guildId, guild.ownerId, 'update', { member: chatUserId }));
    expect(team).to.contain("⚠️ The role Verified isn't below the bot").and.contain('Drag');
    expect(discord.member(guild.guildId, person.chatUserId)?.roleIds).to.not.contain(roleId);
    expect(await findAccount(person.chatUserId), 'linked all the same').to.not.equal(null);
  });

  it('A proof without the words is refused, and the session continues with new ones', async () => {
    const first = await askForPhrase();
    const failed = await privateAnswer(press(first, "I've added it"));
    expect(failed.words).to.contain("weren't in the About section");
    expect(labelsOf(failed)).to.deep.equal(['Try again', 'Another username']);
    expect(await findAccount(person.chatUserId)).to.equal(null);

    const second = await privateAnswer(press(failed, 'Try again'));
    expect(phraseIn(second)).to.not.equal(phraseIn(first));
    roblox.setAbout(person.gameUserId, phraseIn(second));
    expect(await privateWords(press(second, "I've added it"))).to.contain('You are now linked');
  });

  it('A verification accepts another username after one that does not exist', async () => {
    const failed = await privateAnswer(press(await askForPhrase('No:Such Player'), "I've added it"));
    expect(failed.words).to.contain("Roblox account doesn't exist");
    const form = await press(failed, 'Another username');
    const phrase = await privateAnswer(discord.submit(form, { username: `@${person.gameUsername}` }));
    roblox.setAbout(person.gameUserId, phraseIn(phrase));
    expect(await privateWords(press(phrase, "I've added it"))).to.contain('You are now linked');
  });

  it('A verification ends after five proofs and offers to start again', async () => {
    let message = await askForPhrase();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      message = await privateAnswer(press(message, "I've added it"));
      if (attempt < 5) message = await privateAnswer(press(message, 'Try again'));
    }
    expect(message.words).to.contain("weren't in the About section").and.contain('last of five tries');
    expect(labelsOf(message)).to.deep.equal(['Start over']);
    expect(labelsOf(await privateAnswer(press(message, 'Start over')))).to.contain('Continue with Roblox');
  });

  it('A proof while Roblox does not answer leaves the message as it is, and the button works later', async () => {
    const phrase = await askForPhrase();
    roblox.setAbout(person.gameUserId, phraseIn(phrase));
    const recover = roblox.inject({ match: /^(GET|POST) users\.roblox\.com\//, status: 503 });
    const pressed = await press(phrase, "I've added it");
    await onceShown(() => pressed.followUps().length > 0, 'the refusal').finally(recover);
    expect(followUpWords(pressed)).to.contain("Roblox isn't answering");
    // The same words still hold: a proof that Roblox left unanswered was none.
    expect(await privateWords(press(phrase, "I've added it"))).to.contain('You are now linked');
  });
});

describe('The offers of /verify', () => {
  withPerson();

  it('/verify recognizes a verified member, and offers an update or another account', async () => {
    const linked = await buildMember(guild);
    const message = await privateAnswer(discord.command(guild.guildId, linked.chatUserId, 'verify'));
    expect(message.words).to.contain(`You are verified here as [${linked.gameUsername}]`);
    expect(labelsOf(message)).to.deep.equal(['Update roles', 'Link another account']);
    const another = await privateAnswer(
      discord.press(guild.guildId, linked.chatUserId, message, 'Link another account'),
    );
    expect(another.id).to.equal(message.id);
    expect(labelsOf(another)).to.contain('Continue with Roblox');
  });

  it('/verify shows the form immediately when the profile is the only way', async () => {
    await setRules({ methods: ['profile_code'] });
    const form = await verify();
    expect(form.modal?.title).to.equal('Your Roblox account');
    const phrase = await privateAnswer(discord.submit(form, { username: person.gameUsername }));
    roblox.setAbout(person.gameUserId, phraseIn(phrase));
    expect(await privateWords(press(phrase, "I've added it"))).to.contain('You are now linked');
  });

  it('/verify offers the form by a button when the database is too slow to show it immediately', async () => {
    await setRules({ methods: ['profile_code'] });
    const { db = expect.fail() } = GuildRecord.db;
    const slow = sinon.stub(db, 'command').callsFake(async (...asked) => {
      if (asked[0].find === GuildRecord.collection.name) await delay(slowMs);
      return slow.wrappedMethod.apply(db, asked);
    });
    const interaction = await verify();
    slow.restore();
    expect(interaction.acknowledgedAfterMs).to.be.within(1_500, slowMs);
    const form = await press(await privateAnswer(interaction), 'Use a profile code');
    const phrase = await privateAnswer(discord.submit(form, { username: person.gameUsername }));
    roblox.setAbout(person.gameUserId, phraseIn(phrase));
    expect(await privateWords(press(phrase, "I've added it"))).to.contain('You are now linked');
  });

  it('/verify offers the sign-in alone where it is the only way', async () => {
    await setRules({ methods: ['oauth'] });
    const ways = ['Continue with Roblox', 'Use my Discord connection'];
    expect(labelsOf(await privateAnswer(verify()))).to.deep.equal(ways);
  });

  it('/verify reports that verification is switched off', async () => {
    await setRules({ enabled: false });
    expect(await privateWords(verify())).to.equal('Verification is turned off in this server.');
  });

  // DISC-1
  it('/verify is acknowledged in time even when Discord is slow', async () => {
    const recover = discord.inject({ match: /^GET discord\.com\/api\/v10\/guilds\/\d+\/members\//, delayMs: slowMs });
    const interaction = await verify();
    recover();
    expect(interaction.acknowledgedAfterMs).to.be.within(1_500, slowMs);
    expect(labelsOf(await privateAnswer(interaction))).to.contain('Continue with Roblox');
  });

  it('/verify refuses the eleventh verification of an hour, and explains it', async () => {
    for (let count = 1; count <= 10; count += 1) await privateAnswer(verify());
    expect(await privateWords(verify())).to.match(/^Too many verifications in an hour\. Try again in \d+ min\.$/);
  });
});
