import { expect } from 'chai';
import { buildGuild, buildMember } from '../support/build.js';
import { world } from '../support/world.js';
import { privateWords } from './private-answer.js';

describe('/help', () => {
  it('lists what members may do, each with a link and a line', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const words = await privateWords(discord.command(guild.guildId, chatUserId, 'help'));
    const names = [...words.matchAll(/^<\/([\w ]+):\d+> \S/gm)].map(([, name]) => name);
    expect(names).to.deep.equal(['verify', 'update', 'account', 'why', 'unlink', 'help']);
    expect(words).to.contain('Link your Roblox account and get your roles');
  });

  it('lists subcommands to those who are shown them', async () => {
    const { discord } = await world();
    const { guildId, ownerId } = await buildGuild();
    const words = await privateWords(discord.command(guildId, ownerId, 'help'));
    const names = [...words.matchAll(/^<\/([\w ]+):\d+> \S/gm)].map(([, name]) => name);
    const headings = [...words.matchAll(/^\*\*(.+)\*\*$/gm)].map(([, heading]) => heading);
    expect(headings).to.deep.equal([
      'Your Roblox account and roles',
      'Set up this server',
      'Check and update everyone',
    ]);
    expect(words.indexOf('Set up this server')).to.be.below(words.indexOf('</setup:'));
    expect(words).to.match(/<\/logs:\d+> .+$/m);
    expect(names).to.include.members(['mapping list', 'mapping add', 'mapping remove', 'group add', 'panel', 'verify']);
  });
});
