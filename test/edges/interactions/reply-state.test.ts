import { expect } from 'chai';
import { pressable } from '../../../src/edges/interactions/commands/command-mention.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { withLocale } from '../../../src/lib/translate.js';
import { privateAnswer } from '../../commands/private-answer.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

const colors = { fine: 0x57f287, attention: 0xfee75c, neutral: 0x5865f2 };

// DISC-11
describe('Private answers', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  const use = (name: string, options = {}, chatUserId = guild.ownerId) =>
    privateAnswer(discord.command(guild.guildId, chatUserId, name, options));
  const colorOf = async (...asked: Parameters<typeof use>) => (await use(...asked)).embeds.map(({ color }) => color);

  it('A private answer has the colour of its state', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Crew' }).id;
    const above = discord.addRole(guild.guildId, { name: 'Boss', position: 90 }).id;
    const { chatUserId } = await buildMember(guild);
    expect(await colorOf('update', {}, chatUserId)).to.deep.equal([colors.fine]);
    expect(await colorOf('update', {}), 'not verified').to.deep.equal([colors.attention]);
    expect(await colorOf('mapping list')).to.deep.equal([colors.neutral]);
    expect(await colorOf('mapping verified', { role })).to.deep.equal([colors.fine]);
    expect(await colorOf('mapping verified', { role: above }), 'a refusal').to.deep.equal([colors.attention]);
    discord.deleteRole(guild.guildId, role);
    expect(await colorOf('mapping list'), 'a role is gone').to.deep.equal([colors.attention]);
    expect(await colorOf('why'), 'the reasons, below who it is about').to.deep.equal([
      colors.attention,
      colors.neutral,
    ]);
    expect((await use('verify', {}, chatUserId)).embeds[0]?.color).to.equal(colors.fine);
  });

  // DISC-12
  it('A private answer names commands and subcommands so that they can be pressed, in every language', () => {
    expect(pressable('account.none_own')).to.match(/Use <\/verify:\d{17,20}> to link one/);
    expect(pressable('resync.none')).to.match(/with <\/resync start:\d{17,20}>\.$/);
    expect(withLocale('de', () => pressable('account.none_own'))).to.match(/Mit <\/verify:\d{17,20}> verknüpfst/);
  });

  it('A private answer makes no command of text that people wrote', () => {
    const written = pressable('why.not_verified', { person: 'call /verify or /resync start' });
    expect(written).to.match(/^call \/verify or \/resync start isn't verified here\. Use <\/verify:\d+>/);
  });

  it('/update first reports that the member is not verified, then the next step, then the changes', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Guest' }).id;
    const { chatUserId } = await buildMember(guild, { linked: false });
    await eventually(() => findMember(guild.guildId, chatUserId).then((found) => found?.syncs.length), 'the joining');
    await use('mapping add', { role, type: 'unverified' });
    const [first, second, ...more] = (await use('update', {}, chatUserId)).words.split('\n');
    expect(first).to.match(/^You don't have a Roblox account linked here\. Use <\/verify:\d+> to link one\.$/);
    expect(second).to.equal(`Roles added: <@&${role}>`);
    expect(more).to.deep.equal([]);
  });

  it('/update shows a member without roles where to see the requirements for roles', async () => {
    const { chatUserId } = await buildMember(guild);
    expect((await use('update', {}, chatUserId)).words).to.match(/already up to date\. <\/why:\d+> shows the reason/);
  });
});
