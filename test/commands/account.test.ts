import { expect } from 'chai';
import { buildGuild, buildMember, buildPerson, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { privateWords } from './private-answer.js';

describe('/account and the menu "Roblox account"', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  it('/account shows the own account with its profile, since when it is linked, and the last check', async () => {
    const person = await buildMember(guild);
    const words = await privateWords(discord.command(guild.guildId, person.chatUserId, 'account'));
    expect(words).to.contain(`<@${person.chatUserId}>`).and.not.contain('(id');
    expect(words).to.contain(`[${person.gameUsername}](<https://www.roblox.com/users/${person.gameUserId}/profile>)`);
    expect(words)
      .to.match(/Linked since <t:\d+:D>/)
      .and.match(/last checked <t:\d+:R>/);
  });

  it('/account and the menu show the account of another member alike', async () => {
    const [asker, asked] = [await buildMember(guild, { linked: false }), await buildMember(guild)];
    const command = discord.command(guild.guildId, asker.chatUserId, 'account', { member: asked.chatUserId });
    const menu = discord.contextMenu(guild.guildId, asker.chatUserId, 'Roblox account', asked.chatUserId);
    const words = await privateWords(command);
    expect(words).to.contain(asked.gameUsername);
    expect(await privateWords(menu)).to.equal(words);
  });

  it('/account reports that a member has no account here, though they may have one elsewhere', async () => {
    const person = await buildMember(await buildGuild());
    const asker = await buildMember(guild, { linked: false });
    const menu = discord.contextMenu(guild.guildId, asker.chatUserId, 'Roblox account', person.chatUserId);
    expect(await privateWords(menu)).to.equal(`<@${person.chatUserId}> doesn't have a Roblox account linked here.`);
    const own = await privateWords(discord.command(guild.guildId, asker.chatUserId, 'account'));
    expect(own).to.contain("You don't have a Roblox account linked here").and.contain('/verify');
  });

  it('/account writes names as they are, whatever Markdown makes of them', async () => {
    const person = await buildMember(guild, { person: await buildPerson({ gameUsername: '_x_y_' }) });
    const words = await privateWords(discord.command(guild.guildId, person.chatUserId, 'account'));
    expect(words).to.contain('[\\_x\\_y\\_]');
  });
});
