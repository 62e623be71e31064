import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits, Routes } from 'discord.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { labelsOf, privateWords } from '../../commands/private-answer.js';
import { buildDiscordManager } from '../../commands/team.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

// API-71, DISC-39
describe('The panel in the API', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let channelId: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    channelId = discord.channel(guild.guildId).id;
  });

  afterEach(() => discord.clearFaults());

  const post = (body: object, client = guild.api) => client.post(`${guild.path}/panel`, body);
  const shown = async () => (await guild.api.get(`${guild.path}/panel`)).body.panel;
  const posted = () => discord.messages(channelId);

  it('The API posts the message with the Verify button in the guild’s language, and returns its place', async () => {
    await writeSettings(guild.guildId, { ...defaultSettings, locale: 'de' });
    expect(await shown()).to.equal(null);
    const { status, body } = await post({ channelId });
    expect(status, JSON.stringify(body)).to.equal(201);
    const [message, ...others] = posted();
    expect(others).to.deep.equal([]);
    expect(message && labelsOf(message)).to.deep.equal(['Verifizieren']);
    expect(body).to.include({ channelId, messageId: message?.id });
    expect(await shown()).to.deep.equal(body);
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'panel.posted', target: { kind: 'channel', id: channelId } });
  });

  it('The API posts the panel once when Discord posts it and its answer is lost', async () => {
    discord.inject({ match: /^POST .*\/messages$/, status: 502, when: 'after', times: 1 });
    const { status, body } = await post({ channelId });
    discord.clearFaults();
    expect(status).to.equal(201);
    expect(posted().map(({ id }) => id)).to.deep.equal([body.messageId]);
  });

  it('The API returns the panel that /panel has posted, and the last of several', async () => {
    await post({ channelId });
    await privateWords(discord.command(guild.guildId, guild.ownerId, 'panel'));
    expect(posted()).to.have.length(2);
    expect(await shown()).to.include({ messageId: posted().at(-1)?.id });
  });

  it('The API shows no panel that was deleted on Discord', async () => {
    const { messageId } = (await post({ channelId })).body;
    await container.client.rest.delete(Routes.channelMessage(channelId, messageId));
    expect(await shown()).to.equal(null);
  });

  it('The API still shows a panel that the bot may not read, and answers 503 while Discord is away', async () => {
    const { body } = await post({ channelId });
    discord.inject({ match: /^GET .*\/messages\/\d+$/, status: 403, code: 50_001 });
    expect(await shown()).to.deep.equal(body);
    discord.clearFaults();
    discord.inject({ match: /^GET .*\/messages\/\d+$/, status: 500 });
    expect((await guild.api.get(`${guild.path}/panel`)).body.code).to.equal('chat_platform_unavailable');
    discord.clearFaults();
  });

  it('The API posts no panel in a channel that is foreign, unknown or closed to the bot', async () => {
    const other = await buildGuild();
    for (const id of [discord.channel(other.guildId).id, '123456789012345678']) {
      const { status, body } = await post({ channelId: id });
      expect([status, body.errors[0].path]).to.deep.equal([400, 'channelId']);
    }
    expect(discord.messages(discord.channel(other.guildId).id)).to.deep.equal([]);
    guild = await buildGuild({ botPermissions: PermissionFlagsBits.ManageRoles });
    discord.updateRole(guild.guildId, guild.guildId, { permissions: PermissionFlagsBits.ViewChannel });
    const { status, body } = await post({ channelId: discord.channel(guild.guildId).id });
    expect([status, body.code]).to.deep.equal([409, 'missing_permission']);
    expect(await shown()).to.equal(null);
  });

  it('A manager posts no panel into a channel where they may not write on Discord, by the API or by /panel', async () => {
    const manager = await buildDiscordManager(guild);
    const theirs = await asPerson(manager);
    expect((await post({ channelId }, theirs)).status).to.equal(201);
    discord.updateRole(guild.guildId, guild.guildId, { permissions: PermissionFlagsBits.ViewChannel });
    const refused = async () => (await post({ channelId }, theirs)).body.code;
    await eventually(async () => (await refused()) === 'forbidden', 'the refusal');
    expect(await privateWords(discord.command(guild.guildId, manager.chatUserId, 'panel'))).to.contain(
      "You can't write in this",
    );
    expect((await post({ channelId })).status).to.equal(201);
  });

  // API-10
  it('A panel that Discord takes in a day ends at once with the time, and is not posted later', async () => {
    discord.inject({ match: /^POST .*\/messages$/, status: 429, retryAfter: 86_400, times: 1 });
    const { status, headers, body } = await post({ channelId });
    expect([status, headers.get('retry-after'), body.detail]).to.deep.equal([
      503,
      '86401',
      'Discord lets the bot do this later. Try again in 86401 s.',
    ]);
    expect(posted()).to.deep.equal([]);
  });

  it('A panel requires the team role manager to post: viewers are refused', async () => {
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    expect((await post({ channelId }, viewer)).status).to.equal(403);
    expect(posted()).to.deep.equal([]);
    expect((await post({ channelId }, api(await tokenFor(guild.guildId, 'manager')))).status).to.equal(201);
  });
});
