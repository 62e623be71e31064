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
    expect(names).to.deep.equal(['account', 'help', 'unlink', 'update', 'verify', 'why']);
    expect(words).to.contain('Link your Roblox account and get your roles');
  });

  it('lists subcommands to those who are shown them', async () => {
    const { discord } = await world();
    const { guildId, ownerId } = await buildGuild();
    const words = await privateWords(discord.command(guildId, ownerId, 'help'));
    const names = [...words.matchAll(/^<\/([\w ]+):\d+> \S/gm)].map(([, name]) => name);
    expect(names).to.include.members(['mapping list', 'mapping add', 'mapping remove', 'group add', 'panel', 'verify']);
  });
});
