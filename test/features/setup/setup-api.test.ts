import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { readSettings } from '../../../src/core/settings/settings-service.js';
import { listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { findSetup } from '../../../src/features/setup/setup-service.js';
import { labelsOf, privateWords } from '../../commands/private-answer.js';
import { buildDiscordManager } from '../../commands/team.js';
import { asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';

let serial = 0;

// DASH-40, DASH-41, DASH-42
describe('The setup in the API', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let groupId: string;
  let groupName: string;
  let setup: string;
  let channelId: string;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    setup = `${guild.path}/setup`;
    channelId = discord.channel(guild.guildId).id;
    serial += 1;
    groupName = `Harbour Crew ${serial}`;
    const ranks = { Guest: 0, Sailor: 1, Mate: 100, Captain: 255 };
    groupId = roblox.addGroup({
      name: groupName,
      roles: Object.entries(ranks).map(([name, rank]) => ({ name, rank })),
    }).id;
  });

  const change = async (body: object) => {
    const answer = await guild.api.patch(setup, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const addRole = async (name: string, options: { position?: number; permissions?: bigint } = {}): Promise<string> => {
    const { id } = discord.addRole(guild.guildId, { name, ...options });
    await factsWhere(guild.guildId, ({ roles }) => roles.has(id), 'the role');
    return id;
  };
  const rankNamed = (body: { group: { ranks: { name: string; gameRoleId: string }[] } }, name: string) =>
    body.group.ranks.find((rank) => rank.name === name) ?? expect.fail(`no rank ${name}`);
  const preview = async () => (await guild.api.post(`${setup}/preview`, {})).body;
  const apply = (key: string, mode = 'enforce') => guild.api.post(`${setup}/apply`, { key, mode });

  // DISC-27
  it('The setup leads from a group’s name to roles: nothing is in force before it is applied, everything after', async () => {
    const person = await buildPerson();
    roblox.setRank(groupId, person.gameUserId, 255);
    await buildMember(guild, { person });
    const mate = await addRole('mate');
    const found = await guild.api.get(`${guild.path}/groups/search?q=${encodeURIComponent(groupName)}`);
    expect(found.body.data[0]).to.include({ groupId, name: groupName });
    const begun = await change({ group: { groupId } });
    expect(begun.group.ranks.map(({ name }: { name: string }) => name)).to.deep.equal(['Sailor', 'Mate', 'Captain']);
    expect(rankNamed(begun, 'Mate')).to.deep.include({ roleIds: [mate], problem: null, obstacle: null, holders: 0 });
    expect(rankNamed(begun, 'Captain')).to.deep.include({ problem: 'no_role', members: 1, holders: null });
    expect(begun.missing.count).to.equal(3);
    const made = await guild.api.post(`${setup}/roles`, { key: begun.missing.key });
    expect(made.body).to.deep.include({ made: 3, left: 0 });
    expect(made.body.setup.missing.count).to.equal(0);
    await change({ channelId, panel: { title: 'Come aboard' } });
    const shown = await preview();
    expect(shown.summary).to.include({ checked: 2, adding: 1, removing: 0 });
    expect(
      shown.mappings.map(({ mapping }: { mapping: { condition: { type: string } } }) => mapping.condition.type),
    ).to.deep.equal(['group_roles', 'verified']);
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
    const applied = await apply(shown.key);
    expect(applied.status, JSON.stringify(applied.body)).to.equal(202);
    expect(applied.body).to.include({ panel: 'posted', mode: 'enforce' });
    const mappings = await listAllMappings(guild.guildId);
    expect(mappings.map(({ condition }) => condition.type)).to.have.members(['group_roles', 'verified']);
    const [message] = discord.messages(channelId);
    expect(message && labelsOf(message)).to.deep.equal(['Verify']);
    expect(message?.content).to.contain('Come aboard');
    expect(await findSetup(guild.guildId)).to.equal(null);
    await eventually(() => discord.member(guild.guildId, person.chatUserId)?.roleIds.length === 2, 'the roles');
  });

  it('A role that is chosen for a rank without a role of its name gets a mapping of its own', async () => {
    const skipper = await addRole('Skipper');
    const begun = await change({ group: { url: `https://www.roblox.com/communities/${groupId}` } });
    const { gameRoleId } = rankNamed(begun, 'Captain');
    const chosen = await change({ rankRoles: [{ gameRoleId, roleId: skipper }] });
    expect(rankNamed(chosen, 'Captain')).to.deep.include({ roleIds: [skipper], isChosen: true, problem: null });
    expect(chosen.missing.count).to.equal(3);
    const shown = await preview();
    expect((await apply(shown.key)).status).to.equal(202);
    const mappings = await listAllMappings(guild.guildId);
    const own = mappings.find(({ condition }) => condition.type === 'group_role');
    expect(own).to.deep.include({ condition: { type: 'group_role', groupId, gameRoleId }, roleIds: [skipper] });
  });

  it('A role with the rank’s name replaces a chosen role', async () => {
    const skipper = await addRole('Skipper');
    const begun = await change({ group: { groupId } });
    const { gameRoleId } = rankNamed(begun, 'Captain');
    await change({ rankRoles: [{ gameRoleId, roleId: skipper }] });
    const named = await addRole('Captain');
    const { body } = await guild.api.get(setup);
    expect(rankNamed(body, 'Captain')).to.deep.include({ roleIds: [named], isChosen: false });
    const shown = await preview();
    expect(shown.mappings).to.have.length(1);
  });

  it('Applying and making roles write nothing under a key of something else', async () => {
    const begun = await change({ group: { groupId } });
    const shown = await preview();
    await change({ nickname: { enabled: false, template: '{gameUsername}' } });
    expect((await apply(shown.key, 'observe')).status).to.equal(412);
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
    expect((await readSettings(guild.guildId)).mode).to.equal('enforce');
    await addRole('Sailor');
    expect((await guild.api.post(`${setup}/roles`, { key: begun.missing.key })).status).to.equal(412);
    expect(discord.roles(guild.guildId).some(({ name }) => name === 'Captain')).to.equal(false);
  });

  it('The setup applied to observe changes no member', async () => {
    await change({ group: { groupId } });
    const applied = await apply((await preview()).key, 'observe');
    expect([applied.status, applied.body.mode]).to.deep.equal([202, 'observe']);
    expect((await readSettings(guild.guildId)).mode).to.equal('observe');
    // OBS-9: a server that observes goes on with it.
    const { body } = await apply((await preview()).key);
    expect(body.mode).to.equal('observe');
  });

  it('A setup to observe that the plan refuses leaves the server’s mode as it was', async () => {
    await change({ group: { groupId } });
    const { key } = await preview();
    for (let count = 0; count < 10; count += 1) {
      const roleIds = [await addRole(`Deck ${count}`)];
      const made = await guild.api.post(`${guild.path}/mappings`, { condition: { type: 'verified' }, roleIds });
      expect(made.status).to.equal(201);
    }
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    expect((await apply(key, 'observe')).body.code).to.equal('plan_limit_reached');
    expect((await readSettings(guild.guildId)).mode).to.equal('enforce');
  });

  it('A setup begun through the API continues at /setup, and the other way round', async () => {
    await change({ group: { groupId }, channelId });
    expect(await privateWords(discord.command(guild.guildId, guild.ownerId, 'setup'))).to.contain(groupName);
    const { body } = await guild.api.get(setup);
    expect(body.group).to.include({ groupId, name: groupName });
    expect(body.choices).to.include({ channelId });
  });

  it('Reading the setup stores nothing', async () => {
    expect((await guild.api.get(setup)).status).to.equal(200);
    expect(await findSetup(guild.guildId)).to.equal(null);
  });

  it('The setup refuses channels, ranks and roles that are not of this server', async () => {
    const other = await buildGuild();
    const begun = await change({ group: { groupId } });
    const { gameRoleId } = rankNamed(begun, 'Captain');
    for (const body of [
      { channelId: discord.channel(other.guildId).id },
      { rankRoles: [{ gameRoleId, roleId: other.guildId }] },
      { rankRoles: [{ gameRoleId: '1', roleId: await addRole('Free') }] },
      { nickname: { enabled: true, template: '{nonsense}' } },
    ]) {
      expect((await guild.api.patch(setup, body)).status, JSON.stringify(body)).to.equal(400);
    }
  });

  // DISC-25
  it('The setup shows the roles that the bot can’t give or that are dangerous, and refuses those above its admin', async () => {
    const above = await addRole('Captain', { position: 300 });
    await addRole('Mate', { permissions: PermissionFlagsBits.BanMembers });
    const begun = await change({ group: { groupId } });
    expect(rankNamed(begun, 'Captain')).to.include({ obstacle: 'role_above_bot' });
    expect(rankNamed(begun, 'Mate')).to.deep.include({ dangerous: ['BanMembers'] });
    expect(begun.place.rolesAbove).to.deep.equal([above]);
    const admin = await buildDiscordManager(guild, 2);
    const theirs = await asPerson(admin);
    const { gameRoleId } = rankNamed(begun, 'Sailor');
    const chosen = await theirs.patch(setup, { rankRoles: [{ gameRoleId, roleId: above }] });
    expect(chosen.status).to.equal(403);
    expect((await theirs.patch(setup, { verifiedRoleId: above })).status).to.equal(403);
  });

  // DISC-25
  it('The setup takes no verified role that is unknown, of another server or @everyone', async () => {
    const other = await buildGuild();
    const foreign = discord.addRole(other.guildId, { name: 'Verified' }).id;
    for (const verifiedRoleId of ['123456789012345678', foreign, guild.guildId]) {
      const { status, body } = await guild.api.patch(setup, { verifiedRoleId });
      expect([status, body.errors?.[0]?.path], verifiedRoleId).to.deep.equal([400, 'verifiedRoleId']);
    }
  });

  // DISC-30
  it('Two requests at once for the missing roles make each role once', async () => {
    const begun = await change({ group: { groupId } });
    const make = () => guild.api.post(`${setup}/roles`, { key: begun.missing.key });
    const answers = await Promise.all([make(), make()]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
    const names = discord.roles(guild.guildId).map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
