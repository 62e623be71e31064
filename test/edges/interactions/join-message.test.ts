import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../../src/core/settings/settings-service.js';
import { sendDueJoinMessages } from '../../../src/edges/interactions/join-message.js';
import { claimDueJoinMessage } from '../../../src/features/accounts/join-messages.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { labelsOf, privateWords } from '../../commands/private-answer.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildPerson,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { type World, world } from '../../support/world.js';

type JoinMessage = GuildSettings['joinMessage'];

let discord: World['discord'];
let guild: TestGuild;

function withGuild(): void {
  withPromptSyncs();
  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild({ name: 'The *Hall*' });
  });
  afterEach(() => {
    discord.clearFaults();
    clock.restore();
  });
}

const channelId = () => discord.channel(guild.guildId).id;

const set = (joinMessage: Partial<JoinMessage>) =>
  writeSettings(guild.guildId, {
    ...defaultSettings,
    joinMessage: { to: 'channel', channelId: channelId(), text: null, ...joinMessage },
  });
const posted = () => discord.messages(channelId());

const send = () => sendDueJoinMessages(new AbortController().signal);

const owed = async ({ chatUserId }: TestPerson) => (await findMember(guild.guildId, chatUserId))?.joinMessage;

/** Joins, and waits until they are synced without pending work. */
async function join(person: TestPerson, roleIds: string[] = []): Promise<TestPerson> {
  const { chatUserId } = person;
  const before = (await findMember(guild.guildId, chatUserId))?.syncs.length ?? 0;
  discord.join(guild.guildId, chatUserId, { roleIds });
  const isSynced = async () => ((await findMember(guild.guildId, chatUserId))?.syncs.length ?? 0) > before;
  await eventually(isSynced, 'the sync of joining');
  await send();
  return person;
}

const settled = (person: TestPerson) => eventually(async () => (await owed(person)) === undefined, 'the message');

// DISC-34, DISC-36, DISC-38
describe('The message for unverified newcomers', () => {
  withGuild();

  // DISC-35
  it('The join message has the button Verify, mentions the member and pings no one else', async () => {
    await set({ text: 'Hi {member} @everyone, this is {server}.' });
    const person = await join(await buildPerson());
    await settled(person);
    const [message, ...others] = posted();
    expect(others).to.deep.equal([]);
    expect(message?.content).to.equal(`Hi <@${person.chatUserId}> @everyone, this is The \\*Hall\\*.`);
    expect(message && labelsOf(message)).to.deep.equal(['Verify']);
    expect(message?.allowedMentions).to.deep.equal({ parse: [], users: [person.chatUserId] });
    const pressed = discord.press(guild.guildId, person.chatUserId, message ?? { id: '', channelId: '' }, 'Verify');
    expect(await privateWords(pressed)).to.contain('Continue with Roblox');
  });

  it('A member gets the join message once for each coming', async () => {
    await set({});
    const person = await join(await buildPerson());
    await settled(person);
    await send();
    expect(posted()).to.have.length(1);
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(
      async () => (await findMember(guild.guildId, person.chatUserId))?.present === false,
      'the leaving',
    );
    await settled(await join(person));
    expect(posted()).to.have.length(2);
  });

  // DISC-16
  it('The join message is a direct message where that is asked for, in the language of the guild', async () => {
    await set({ to: 'dm' });
    await writeSettings(guild.guildId, { ...(await readSettings(guild.guildId)), locale: 'de' });
    const person = await join(await buildPerson());
    await settled(person);
    const [message, ...others] = discord.directMessages(person.chatUserId);
    expect(others).to.deep.equal([]);
    expect(message?.content).to.contain('Willkommen in The \\*Hall\\*!').and.contain(`channels/${guild.guildId}`);
    expect(posted()).to.deep.equal([]);
    const closed = await buildPerson();
    discord.acceptDirectMessages(closed.chatUserId, false);
    await settled(await join(closed));
  });

  it('The join message goes to no verified, exempt or departed member, and is not sent while it is off', async () => {
    const off = await join(await buildPerson());
    expect(await owed(off)).to.equal(undefined);
    const { id: keeps } = discord.addRole(guild.guildId, { name: 'Keeps' });
    await set({});
    await writeSettings(guild.guildId, {
      ...(await readSettings(guild.guildId)),
      bypass: { keepRoles: [keeps], keepNickname: [] },
    });
    const known = await buildPerson();
    await linkPerson(null, known);
    await settled(await join(known));
    await settled(await join(await buildPerson(), [keeps]));
    expect(posted()).to.deep.equal([]);
  });

  // DISC-37
  it('The join messages of one guild go out one after the other', async () => {
    await set({});
    const letGo = discord.inject({ match: /POST .*\/messages$/, held: true, when: 'after', times: 1 });
    const people = [await buildPerson(), await buildPerson()];
    for (const { chatUserId } of people) discord.join(guild.guildId, chatUserId);
    await eventually(async () => (await Promise.all(people.map(owed))).every(Boolean), 'the messages due');
    const sending = send();
    await eventually(() => posted().length > 0, 'the first message');
    await delay(300);
    expect(posted(), 'while Discord has not answered').to.have.length(1);
    letGo();
    await sending;
    for (const person of people) await settled(person);
    expect(posted()).to.have.length(2);
  });

  it('The join message waits for Discord, and after a crash is known to it by its nonce', async () => {
    await set({});
    const calm = discord.inject({ match: /POST .*\/messages$/, status: 500 });
    const person = await join(await buildPerson());
    const before = await eventually(() => owed(person), 'the debt');
    expect(posted()).to.deep.equal([]);
    calm();
    const { guildId } = guild;
    const { chatUserId } = person;
    const key = { guildId, chatUserId };
    await Members.update(key, { $set: { 'joinMessage.dueAt': new Date(0) } });
    await send();
    await settled(person);
    expect(posted()).to.have.length(1);
    // As if the process had been killed after the message was sent.
    await Members.update(key, { $set: { joinMessage: { ...before, dueAt: new Date(0) } } });
    await send();
    await settled(person);
    expect(posted()).to.have.length(1);
  });

  it('The join message is given up an hour later, and where the bot may not write', async () => {
    await set({});
    const calm = discord.inject({ match: /POST .*\/messages$/, status: 500 });
    const person = await join(await buildPerson());
    await Members.update(
      { guildId: guild.guildId, chatUserId: person.chatUserId },
      { $set: { 'joinMessage.dueAt': new Date(0), 'joinMessage.since': new Date(clock.epochMs() - 3_600_001) } },
    );
    await send();
    await settled(person);
    calm();
    const elsewhere = await buildGuild();
    await set({ channelId: discord.channel(elsewhere.guildId).id });
    await settled(await join(await buildPerson()));
    expect([...posted(), ...discord.messages(discord.channel(elsewhere.guildId).id)]).to.deep.equal([]);
    expect(await claimDueJoinMessage([])).to.equal(null);
  });
});

describe('/settings join', () => {
  withGuild();

  it('/settings join sets the join message under the rules of the settings, and shows it', async () => {
    const use = (options: Record<string, string | boolean>) =>
      privateWords(discord.command(guild.guildId, guild.ownerId, 'settings join', options));
    const stored = async () => (await readSettings(guild.guildId)).joinMessage;
    expect(await use({ to: 'channel' })).to.contain('- channel: must name the channel');
    expect(await use({ channel: channelId(), text: 'Hi {member}' })).to.contain(`<#${channelId()}> · Hi {member}`);
    expect(await stored()).to.deep.equal({ to: 'channel', channelId: channelId(), text: 'Hi {member}' });
    expect(await use({ text: 'Hi {name}' })).to.contain('has no placeholder {name}');
    expect(await use({ to: 'dm', usual_text: true })).to.contain('by direct message · the default text');
    expect(await use({ to: 'none' })).to.contain('none');
    const wish = { ...defaultSettings, joinMessage: { to: 'channel', channelId: guild.guildId, text: '{x}' } };
    const { body } = await guild.api.put(`${guild.path}/settings`, wish);
    expect(body.errors.map(({ path }: { path: string }) => path)).to.have.members([
      'joinMessage.text',
      'joinMessage.channelId',
    ]);
  });
});
