import { expect } from 'chai';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { buildGuild, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { privateWords } from './private-answer.js';

describe('/mapping rank, role, member, verified, group and edit', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let group: ReturnType<World['roblox']['addGroup']>;
  let role: string;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    group = roblox.addGroup({ name: 'Builders' });
    role = discord.addRole(guild.guildId, { name: 'Builder' }).id;
    await guild.api.post(`${guild.path}/groups`, { groupId: group.id });
  });

  const use = (name: string, options: Record<string, string | boolean> = {}) =>
    privateWords(discord.command(guild.guildId, guild.ownerId, `mapping ${name}`, options));
  const stored = async () => await listAllMappings(guild.guildId);
  const conditions = async () => (await stored()).map(({ condition }) => condition);
  const gameRole = (rank: number) => group.roles.find((each) => each.rank === rank)?.id ?? '';
  const suggest = (command: string, name: string, options = {}) =>
    discord.autocomplete(guild.guildId, guild.ownerId, `mapping ${command}`, { name, value: '' }, options);

  // DISC-31
  it('Each kind of /mapping makes a mapping, of the only group where none is named', async () => {
    const groupId = group.id;
    expect(await use('rank', { from: '100', role })).to.contain(`rank 100–255 in Builders → <@&${role}>`);
    await use('rank', { from: '1', to: '100', role, group: 'builders' });
    await use('role', { game_role: gameRole(100), role, name: 'Officers' });
    await use('member', { role, remove_when_unmatched: false });
    await use('verified', { role });
    await use('group');
    expect(await conditions()).to.have.deep.members([
      { type: 'group_rank', groupId, min: 100, max: 255 },
      { type: 'group_rank', groupId, min: 1, max: 100 },
      { type: 'group_role', groupId, gameRoleId: gameRole(100) },
      { type: 'group_member', groupId },
      { type: 'verified' },
      { type: 'group_roles', groupId, match: 'name' },
    ]);
  });

  // DISC-31
  it('/mapping suggests ranks by name, with their numbers, and takes a name that was typed', async () => {
    expect(await suggest('rank', 'from')).to.deep.equal([
      { name: 'Owner (rank 255)', value: '255' },
      { name: 'Officer (rank 100)', value: '100' },
      { name: 'Member (rank 1)', value: '1' },
    ]);
    expect(await suggest('role', 'game_role')).to.deep.include({ name: 'Officer (rank 100)', value: gameRole(100) });
    await use('rank', { from: 'officer', to: 'Owner', role });
    await use('role', { game_role: 'member', role });
    expect(await conditions()).to.have.deep.members([
      { type: 'group_rank', groupId: group.id, min: 100, max: 255 },
      { type: 'group_role', groupId: group.id, gameRoleId: gameRole(1) },
    ]);
  });

  it('/mapping names the faulty option, and changes nothing', async () => {
    expect(await use('rank', { from: 'Boss', role })).to.contain("- from: isn't a rank of Builders");
    expect(await use('rank', { from: '100', to: '7', role })).to.contain('- rank_max: must not be less than min');
    const other = roblox.addGroup({ name: 'Others' });
    await guild.api.post(`${guild.path}/groups`, { groupId: other.id });
    expect(await use('member', { role }), 'with two groups').to.contain('- group: this type needs a group');
    expect(await suggest('rank', 'from'), 'with two groups').to.deep.equal([]);
    expect(await suggest('rank', 'from', { group: group.id })).to.have.length(3);
    const bare = await buildGuild();
    const words = discord.command(bare.guildId, bare.ownerId, 'mapping group', {});
    expect(await privateWords(words)).to.contain('add one with /group add');
    expect(await stored()).to.deep.equal([]);
  });

  describe('/mapping edit', () => {
    const other = () => discord.addRole(guild.guildId, { name: 'Other' }).id;
    const edit = async (options: Record<string, string | boolean>) =>
      use('edit', { mapping: (await stored())[0]?._id ?? '', ...options });

    // DISC-32
    it('/mapping edit changes the named fields and leaves the rest', async () => {
      await use('rank', { from: '1', to: '100', role, name: 'Crew' });
      const words = await edit({ to: 'Owner' });
      expect(words).to.contain('Mapping changed').and.contain('rank 1–255 in Builders');
      const second = other();
      await edit({ role: second, remove_when_unmatched: false });
      const [mapping] = await stored();
      expect(mapping).to.deep.include({ name: 'Crew', roleIds: [second], removeWhenUnmatched: false });
      expect(mapping?.condition).to.deep.equal({ type: 'group_rank', groupId: group.id, min: 1, max: 255 });
      await edit({ no_name: true });
      expect((await stored())[0]).to.include({ name: null });
      const mappingId = mapping?._id ?? '';
      expect(await suggest('edit', 'from', { mapping: mappingId })).to.have.length(3);
    });

    it('/mapping edit makes a mapping another type', async () => {
      await use('verified', { role });
      await edit({ type: 'group_role', game_role: 'Officer' });
      expect(await conditions()).to.deep.equal([{ type: 'group_role', groupId: group.id, gameRoleId: gameRole(100) }]);
      await edit({ type: 'group_roles' });
      expect((await stored())[0]).to.deep.include({ roleIds: [] });
      expect(await edit({ type: 'verified' })).to.contain('- role: must name a role');
    });

    // DISC-32
    it('/mapping edit refuses unsuitable options, and explains it', async () => {
      await use('verified', { role });
      const before = await stored();
      expect(await edit({})).to.contain('at least one option to change');
      expect(await edit({ from: '1' })).to.contain("- from: doesn't apply to mappings of this type");
      expect(await edit({ name: 'A', no_name: true })).to.contain('- no_name: can');
      expect(await use('edit', { mapping: 'map_0', name: 'A' })).to.equal('There is no such mapping in this server.');
      expect(await stored()).to.deep.equal(before);
      const all = { type: 'all', of: [{ type: 'verified' }, { type: 'group_member', groupId: group.id }] };
      await guild.api.put(`${guild.path}/mappings/${before[0]?._id}`, { condition: all, roleIds: [role] });
      expect(await edit({ from: '1' })).to.contain('only the API and /config can write');
      expect(await edit({ name: 'Both' })).to.contain('**Both**');
      expect((await stored())[0]?.condition).to.deep.equal(all);
    });
  });
});
