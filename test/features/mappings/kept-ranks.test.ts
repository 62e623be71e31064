import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { resync } from '../sync/resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  reconfigureRoblox,
  rolesOf,
  sync,
  withoutNicknames,
} from '../sync/sync-setup.js';

let discord: World['discord'];
let roblox: World['roblox'];
let guild: GroupGuild;
let mappingId: string;
let officer: string;
let member: string;

const view = async () => (await guild.api.get(`${guild.path}/mappings/${mappingId}`)).body;

const rankNamed = async (name: string) =>
  (await view()).ranks.find((rank: { name: string }) => rank.name === name) as { roleIds: string[]; problem: string };

/** A rank's id, as the mapping shows it now. */
const rankId = async (name: string): Promise<string> =>
  (await view()).ranks.find((rank: { name: string }) => rank.name === name).gameRoleId;

async function setRank(person: TestPerson, rank: number): Promise<void> {
  roblox.setRank(guild.groupId, person.gameUserId, rank);
  reconfigureRoblox();
  await sync(guild, person);
}

async function personOf(rank: number): Promise<TestPerson> {
  const person = await buildSettledMember(guild);
  await setRank(person, rank);
  return person;
}

async function renameRole(roleId: string, name: string): Promise<void> {
  discord.updateRole(guild.guildId, roleId, { name });
  const isSeen = async () => (await guild.api.get(`${guild.path}/roles/${roleId}`)).body.name === name;
  await eventually(isSeen, `the role ${name}`);
}

// MAP-7
describe('The roles that the ranks of a whole group were matched with', () => {
  withPromptSyncs();

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    officer = await addRole(guild, { name: 'Officer' });
    member = await addRole(guild, { name: 'Member' });
    const condition = { type: 'group_roles', groupId: guild.groupId, match: 'name' };
    const made = await guild.api.post(`${guild.path}/mappings`, { condition });
    expect(made.status).to.equal(201);
    mappingId = made.body.mappingId;
  });

  afterEach(() => clock.restore());

  it('A renamed Discord role is still given by its rank, and taken with it', async () => {
    const person = await personOf(100);
    await renameRole(officer, '⭐ Officer');
    expect(await rankNamed('Officer')).to.deep.include({ roleIds: [officer], problem: null });
    await setRank(person, 1);
    expect(await rolesOf(guild, person)).to.deep.equal([member]);
    await setRank(person, 100);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
    expect((await view()).status).to.equal('ok');
  });

  it('A second role of a rank’s name leaves the rank with its first one', async () => {
    const person = await personOf(100);
    await addRole(guild, { name: 'Officer' });
    await setRank(person, 1);
    await setRank(person, 100);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
    expect(await rankNamed('Officer')).to.deep.include({ roleIds: [officer], problem: null });
  });

  it('A renamed Roblox rank keeps its role, although another role has the new name', async () => {
    const person = await personOf(100);
    await addRole(guild, { name: 'Sergeant' });
    roblox.renameGroupRole(guild.groupId, await rankId('Officer'), 'Sergeant');
    clock.advance(5 * minuteMs);
    await setRank(person, 1);
    await setRank(person, 100);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
  });

  it('A deleted role of a rank is a deleted role in the mapping, the health and the log', async () => {
    discord.deleteRole(guild.guildId, officer);
    await eventually(async () => (await view()).status === 'role_missing', 'the deletion');
    expect(await rankNamed('Officer')).to.deep.include({ roleIds: [officer], problem: 'role_deleted' });
    const { body } = await guild.api.get(guild.path);
    expect(body.health.map(({ code }: { code: string }) => code)).to.include('role_deleted');
    const isLogged = async () =>
      (await latestEntries(guild.guildId, 20)).some(
        ({ action, target }) => action === 'role.deleted' && target.id === officer,
      );
    await eventually(isLogged, 'the entry of the deletion');
  });

  it('A new role of the name replaces a deleted one', async () => {
    const person = await personOf(100);
    discord.deleteRole(guild.guildId, officer);
    await eventually(async () => (await view()).status === 'role_missing', 'the deletion');
    const another = await addRole(guild, { name: 'Officer' });
    await eventually(async () => (await rankNamed('Officer')).roleIds[0] === another, 'the new role');
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([another]);
    await renameRole(another, 'Officer of the watch');
    expect(await rankNamed('Officer')).to.deep.include({ roleIds: [another], problem: null });
  });

  it('A rank that Roblox no longer has takes its role from its holders', async () => {
    const person = await personOf(100);
    roblox.removeGroupRole(guild.groupId, await rankId('Officer'));
    reconfigureRoblox();
    clock.advance(5 * minuteMs);
    await resync(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([member]);
  });

  it('A mapping stored before pairs were kept remembers them by its first sync', async () => {
    await Mappings.update({ _id: mappingId, guildId: guild.guildId }, { $unset: { pairs: 1 } });
    const person = await personOf(100);
    await renameRole(officer, 'Captain');
    await setRank(person, 1);
    expect(await rolesOf(guild, person)).to.deep.equal([member]);
  });

  it('A mapping changed to another group is matched anew, and gives none of the former roles', async () => {
    const other = roblox.addGroup({
      name: 'Other',
      roles: [
        { name: 'Guest', rank: 0 },
        { name: 'Member', rank: 1 },
      ],
    });
    expect((await guild.api.post(`${guild.path}/groups`, { groupId: other.id })).status).to.equal(201);
    const condition = { type: 'group_roles', groupId: other.id, match: 'name' };
    const { body } = await guild.api.put(`${guild.path}/mappings/${mappingId}`, { condition });
    expect(body.ranks).to.have.length(1);
    const person = await personOf(100);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });
});
