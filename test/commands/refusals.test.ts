import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Routes } from 'discord.js';
import sinon from 'sinon';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { pressButton, say } from '../../src/edges/interactions/replies/reply.js';
import { callDiscord } from '../../src/platforms/discord/rest/discord-call.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, privateAnswer, privateWords } from './private-answer.js';

// DISC-1
describe('Refusals over Discord', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
  afterEach(() => sinon.restore());

  /** Every command, as the owner would send it. */
  const everyCommand = async (): Promise<[string, Record<string, string>][]> => {
    const role = discord.addRole(guild.guildId, { name: 'Some' }).id;
    return [
      ['verify', {}],
      ['unlink', {}],
      ['account', {}],
      ['update', {}],
      ['mapping list', {}],
      ['mapping add', { role, type: 'unverified' }],
      ['mapping remove', { mapping: 'map_1' }],
      ['group list', {}],
      ['group add', { group: '1' }],
      ['group remove', { group: '1' }],
      ['panel', {}],
    ];
  };

  const answers = async () => {
    const all = await everyCommand();
    return Promise.all(
      all.map(([name, options]) => privateWords(discord.command(guild.guildId, guild.ownerId, name, options))),
    );
  };

  it('Every command reports that the guild is suspended, and why', async () => {
    const suspension = { reason: 'unpaid', at: new Date(), by: '1' };
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended', suspension } });
    for (const words of await answers()) expect(words).to.equal('This server is suspended: unpaid.');
    const menu = discord.contextMenu(guild.guildId, guild.ownerId, 'Roblox account', guild.ownerId);
    expect(await privateWords(menu)).to.equal('This server is suspended: unpaid.');
  });

  it('Buttons of a suspended guild are refused, and their message stays', async () => {
    const person = await buildMember(guild);
    const question = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink'));
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    const pressed = await discord.press(guild.guildId, person.chatUserId, question, 'Unlink');
    await onceShown(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.equal('This server is suspended.');
    expect(pressed.followUps()[0]).to.include({ ephemeral: true });
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'active' } });
    const again = discord.press(guild.guildId, person.chatUserId, question, 'Unlink');
    expect(await privateWords(again), 'the button is still there').to.contain('unlinked in every server');
  });

  // DISC-10
  it('Every command reports that the guild is not known', async () => {
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { present: false } });
    for (const words of await answers()) expect(words).to.contain("Rolelink doesn't know this server");
    const { chatUserId } = await buildMember(guild, { linked: false });
    for (const name of ['verify', 'account', 'update', 'unlink']) {
      const words = await privateWords(discord.command(guild.guildId, chatUserId, name));
      expect(words, name).to.equal("Rolelink isn't set up in this server yet. Ask the people who run it.");
    }
  });

  it('A fault shows only the id under which it is logged', async () => {
    const command = container.stores.get('commands').get('help');
    if (command?.chatInputRun === undefined) throw new Error('There is no /help.');
    sinon.replace(command, 'chatInputRun', () => {
      throw new Error('secret detail');
    });
    const interaction = await discord.command(guild.guildId, guild.ownerId, 'help');
    const words = await privateWords(interaction);
    expect(words).to.contain('Something went wrong').and.contain(interaction.id).and.not.contain('secret');
  });

  /** A bot message with a button, as one that was posted long ago. */
  const buttonInChannel = async (customId: string) => {
    const { id } = discord.channel(guild.guildId);
    const body = say('From another time', [pressButton(customId, 'Press')]);
    await callDiscord((rest) => rest.post(Routes.channelMessages(id), { body }));
    return discord.messages(id).at(-1) ?? { id: '', channelId: id };
  };

  it('A button of another version gets an explanation', async () => {
    const message = await buttonInChannel('something-old:1');
    const words = await privateWords(discord.press(guild.guildId, guild.ownerId, message, 'Press'));
    expect(words).to.contain('no longer works').and.contain('/help');
  });

  it('A command of another version gets an explanation', async () => {
    const commands = container.stores.get('commands');
    const help = commands.get('help');
    if (help === undefined) throw new Error('There is no /help.');
    const known = [...commands.aliases].filter(([, piece]) => piece === help);
    for (const [alias] of known) commands.aliases.delete(alias);
    commands.delete('help');
    try {
      const words = await privateWords(discord.command(guild.guildId, guild.ownerId, 'help'));
      expect(words).to.contain('This command no longer exists');
    } finally {
      commands.set('help', help);
      for (const [alias] of known) commands.aliases.set(alias, help);
    }
  });

  it('A press with a malformed id makes no request to Discord, regardless of the button’s origin', async () => {
    for (const id of ['', '1}', '../roles', '-1']) {
      const message = await buttonInChannel(`why:0:${id}`);
      const words = await privateWords(discord.press(guild.guildId, guild.ownerId, message, 'Press'));
      expect(words, id).to.equal('There is no such member.');
    }
  });

  it('No person can use another person’s verification session', async () => {
    const [owner, thief] = [await buildMember(guild, { linked: false }), await buildMember(guild, { linked: false })];
    const choice = await privateAnswer(discord.command(guild.guildId, owner.chatUserId, 'verify'));
    const byCode = choice.buttons.find(({ label }) => label === 'Use a profile code');
    const token = byCode?.customId?.split(':')[1] ?? '';
    const message = await buttonInChannel(`profile-retry:${token}:${thief.gameUsername}`);
    const words = await privateWords(discord.press(guild.guildId, thief.chatUserId, message, 'Press'));
    expect(words).to.contain('belongs to another Discord account');
    const session = await guild.api.get(`/api/verification/session/${token}`);
    expect(session.body).to.include({ state: 'pending', method: 'oauth', phrase: null });
  });
});
