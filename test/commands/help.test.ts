import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { helpReply } from '../../src/edges/interactions/replies/reply-help.js';
import { locale, withLocale } from '../../src/lib/translate.js';
import { buildGuild, buildMember } from '../support/build.js';
import { world } from '../support/world.js';
import { privateAnswer, privateWords } from './private-answer.js';

// DISC-13
describe('/help', () => {
  it('/help lists the commands of members, each with a link and a line', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const words = await privateWords(discord.command(guild.guildId, chatUserId, 'help'));
    const names = [...words.matchAll(/^<\/([\w ]+):\d+> \S/gm)].map(([, name]) => name);
    const ranks = ['rank set', 'rank promote', 'rank demote', 'rank show'];
    const requests = ['requests list', 'requests accept', 'requests decline'];
    expect(names).to.deep.equal([
      'verify',
      'update',
      'account',
      'why',
      'privacy',
      'unlink',
      'help',
      ...ranks,
      ...requests,
    ]);
    expect(words).to.contain('Link your Roblox account and get your roles');
  });

  it('/help lists subcommands for members with access to them', async () => {
    const { discord } = await world();
    const { guildId, ownerId } = await buildGuild();
    const message = await privateAnswer(discord.command(guildId, ownerId, 'help'));
    const { words } = message;
    const names = [...words.matchAll(/^<\/([\w ]+):\d+> \S/gm)].map(([, name]) => name);
    const headings = message.embeds.map(({ title }) => title);
    expect(headings).to.deep.equal([
      'Your Roblox account and roles',
      'Set up this server',
      'Check and update everyone',
    ]);
    expect(words.indexOf('Set up this server')).to.be.below(words.indexOf('</setup:'));
    expect(words).to.match(/<\/logs:\d+> .+$/m);
    expect(message.content).to.equal('**What you can do here**');
    expect(names).to.include.members(['mapping list', 'mapping add', 'mapping remove', 'group add', 'panel', 'verify']);
  });

  it('/help shows every command in full in every language', async () => {
    const commands = await container.client.application?.commands.fetch();
    const everything = new PermissionsBitField(PermissionFlagsBits.Administrator);
    for (const name of locale.options) {
      const { embeds } = withLocale(name, () => helpReply([...(commands?.values() ?? [])], everything, '/me'));
      const lengths = embeds.map(({ title = '', description = '' }) => title.length + description.length);
      expect(embeds.map(({ description = '' }) => description).join(), name).not.to.contain('…');
      expect(
        lengths.reduce((sum, length) => sum + length, 0),
        name,
      ).to.be.at.most(6_000);
    }
  });
});
