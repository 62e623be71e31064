import { expect } from 'chai';
import { findGroups } from '../../src/core/groups/group-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { buildGuild, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

describe('/group', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
  });

  const group = (subcommand: string, options = {}, chatUserId = guild.ownerId) =>
    discord.command(guild.guildId, chatUserId, `group ${subcommand}`, options);
  const stored = async () => (await findGroups(guild.guildId)).map(({ groupId }) => groupId);

  it('/group adds a group by the address of its page, and lists it', async () => {
    expect(await privateWords(group('list'))).to.contain('There are no Roblox groups yet');
    const { id } = roblox.addGroup({ name: '[M] Master_Builders' });
    const words = await privateWords(
      group('add', { group: `https://www.roblox.com/communities/${id}/Builders#!/about` }),
    );
    expect(words).to.contain(
      `Added: [\\[M\\] Master\\_Builders](<https://www.roblox.com/communities/${id}>) (ID ${id}) · 4 roles`,
    );
    expect(await stored()).to.deep.equal([id]);
    expect(await privateWords(group('list'))).to.contain('Master\\_Builders');
  });

  it('/group refuses an id that is no group, a missing group and a group that is attached already', async () => {
    expect(await privateWords(group('add', { group: 'Builders' }))).to.contain(
      '- group: is not the id or address of a group',
    );
    expect(await privateWords(group('add', { group: '999999999' }))).to.equal('Roblox has no group 999999999.');
    const { id } = roblox.addGroup({ name: 'Builders' });
    await privateWords(group('add', { group: id }));
    expect(await privateWords(group('add', { group: id }))).to.equal('The group Builders is already added.');
    expect(await stored()).to.deep.equal([id]);
  });

  it('/group removes a group in use only together with its mappings', async () => {
    const { id } = roblox.addGroup({ name: 'Builders' });
    await privateWords(group('add', { group: id }));
    const role = discord.addRole(guild.guildId, { name: 'Builder' }).id;
    await privateWords(
      discord.command(guild.guildId, guild.ownerId, 'mapping member', { role, group: id, name: 'All' }),
    );
    const mappings = async () => (await listAllMappings(guild.guildId)).length;

    const focused = { name: 'group', value: 'build' };
    const choices = await discord.autocomplete(guild.guildId, guild.ownerId, 'group remove', focused);
    expect(choices).to.deep.equal([{ name: `Builders (${id})`, value: id }]);
    expect(await privateWords(group('remove', { group: id }))).to.contain(
      'The group Builders is used by mappings (All',
    );
    expect([await stored(), await mappings()]).to.deep.equal([[id], 1]);

    expect(await privateWords(group('remove', { group: id, cascade: true }))).to.equal('Group removed.');
    expect([await stored(), await mappings()]).to.deep.equal([[], 0]);
    expect(await privateWords(group('remove', { group: id }))).to.equal("This group isn't added to this server.");
  });

  it('A viewer may list groups with /group, and change none', async () => {
    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, manager.chatUserId, 'viewer');
    expect(await privateWords(group('list', {}, manager.chatUserId))).to.contain('no Roblox groups');
    for (const [subcommand, options] of [
      ['add', { group: '1' }],
      ['remove', { group: '1' }],
    ] as const) {
      const words = await privateWords(group(subcommand, options, manager.chatUserId));
      expect(words).to.equal('You need the team role manager in this server.');
    }
  });

  it('/group lists page by page, in place', async () => {
    for (let count = 1; count <= 11; count += 1) {
      const { id } = roblox.addGroup({ name: `Group no ${count}` });
      await guild.api.post(`${guild.path}/groups`, { groupId: id });
    }
    const first = await privateAnswer(group('list'));
    expect(labelsOf(first)).to.deep.equal(['Next page']);
    expect(first.words).to.contain('Group no 10').and.not.contain('Group no 11');
    const second = await privateAnswer(discord.press(guild.guildId, guild.ownerId, first, 'Next page'));
    expect(second.id).to.equal(first.id);
    expect(second.words).to.contain('Group no 11').and.not.contain('Group no 10');
  });

  it('/group reports that Roblox does not answer, and adds nothing', async () => {
    const { id } = roblox.addGroup({ name: 'Builders' });
    const recover = roblox.inject({ match: /^GET (groups|apis)\.roblox\.com\//, status: 503 });
    const words = await privateWords(group('add', { group: id }));
    recover();
    expect(words).to.contain("Roblox isn't answering reliably");
    expect(await stored()).to.deep.equal([]);
  });
});
