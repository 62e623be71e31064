import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { buildGuild, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins } from './team.js';

describe('/panel', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  const panel = (chatUserId = guild.ownerId) => discord.command(guild.guildId, chatUserId, 'panel');
  const posted = () => discord.messages(discord.channel(guild.guildId).id);

  it('/panel posts a message with a Verify button that everyone sees', async () => {
    expect(await privateWords(panel())).to.equal('Panel posted.');
    const [message, ...others] = posted();
    expect(others).to.deep.equal([]);
    expect(message).to.include({ authorId: discord.application.botUserId, ephemeral: false });
    expect(message?.content).to.contain('Verify your Roblox account');
    expect(message && labelsOf(message)).to.deep.equal(['Verify']);
  });

  it('/panel accepts a title, text, button and colour of one’s own', async () => {
    const look = { title: 'Welcome', text: 'Read <#1> **first**.', button: 'Go', color: '5865f2' };
    expect(await privateWords(discord.command(guild.guildId, guild.ownerId, 'panel', look))).to.equal('Panel posted.');
    const [message] = posted();
    expect(message?.embeds[0]).to.include({ title: 'Welcome', description: look.text, color: 0x5865f2 });
    expect(message && labelsOf(message)).to.deep.equal(['Go']);
    const wrong = discord.command(guild.guildId, guild.ownerId, 'panel', { color: 'blueish' });
    expect(await privateWords(wrong)).to.contain('six hexadecimal digits');
  });

  it('/panel requires the team role manager', async () => {
    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    expect(await privateWords(panel(manager.chatUserId))).to.equal('You need the team role manager in this server.');
    expect(posted()).to.deep.equal([]);
  });

  it('/panel reports that the bot may not write in the channel', async () => {
    guild = await buildGuild({ botPermissions: PermissionFlagsBits.ManageRoles });
    discord.updateRole(guild.guildId, guild.guildId, { permissions: PermissionFlagsBits.ViewChannel });
    const words = await privateWords(panel());
    expect(words).to.contain("The bot can't write in this channel").and.contain('Send Messages');
    expect(posted()).to.deep.equal([]);
  });
});
