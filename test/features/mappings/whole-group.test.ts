import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { privateWords } from '../../commands/private-answer.js';
import { buildDiscordManager, giveTeamRole } from '../../commands/team.js';
import { asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
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
let path: string;
let officer: string;
let member: string;
const whole = () => ({ condition: { type: 'group_roles', groupId: guild.groupId, match: 'name' } });

const create = async (body: object = whole()) => {
  const answer = await guild.api.post(path, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body;
};

const ranksOf = ({ ranks }: { ranks: { name: string; problem: string | null }[] }) =>
  ranks.map(({ name, problem }) => [name, problem]);

const read = async (mappingId: string) => (await guild.api.get(`${path}/${mappingId}`)).body;

const personOf = async (rank: number): Promise<TestPerson> => {
  const person = await buildSettledMember(guild);
  roblox.setRank(guild.groupId, person.gameUserId, rank);
  reconfigureRoblox();
  return person;
};

/** Registers hooks: each test gets a guild with a group, and roles that are called like two of its ranks. */
function useGuild(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    path = `${guild.path}/mappings`;
    officer = await addRole(guild, { name: ' OFFICER' });
    member = await addRole(guild, { name: 'member' });
  });
}

// MAP-5, MAP-7
describe('Mappings of a whole group', () => {
  useGuild();

  it('A mapping of a whole group gives each rank the role of its name, and takes it with the rank', async () => {
    const made = await create();
    expect(made).to.deep.include({ roleIds: [], status: 'ok' });
    expect(ranksOf(made)).to.deep.equal([
      ['Member', null],
      ['Officer', null],
      ['Owner', 'no_role'],
    ]);
    const person = await personOf(100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    reconfigureRoblox();
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([member]);
  });

  it('A mapping of a whole group counts ranks and roles that come later', async () => {
    const { mappingId } = await create();
    const person = await personOf(255);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const owner = await addRole(guild, { name: 'Owner' });
    await eventually(async () => (await read(mappingId)).ranks[2].roleIds[0] === owner, 'the new role');
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([owner]);
  });

  // MAP-6
  it('A mapping of a whole group counts a new rank within five minutes', async () => {
    await create();
    const person = await personOf(1);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([member]);
    const { id } = roblox.addGroupRole(guild.groupId, { name: 'Captain', rank: 150 });
    const captain = await addRole(guild, { name: 'Captain' });
    roblox.setGroupRoles(guild.groupId, person.gameUserId, [id]);
    clock.advance(5 * minuteMs);
    await eventually(async () => {
      await sync(guild, person);
      return (await rolesOf(guild, person))?.join() === captain;
    }, 'the role of the new rank');
    clock.restore();
  });

  // MAP-4
  it('A preview shows a mapping of a whole group, draft or stored, which counts as one mapping', async () => {
    const person = await personOf(100);
    const plan = { add: [officer], remove: [] };
    const draft = await guild.api.post(`${guild.path}/sync/preview`, { mappings: [whole()] });
    expect(draft.body.members[0]).to.deep.include({ memberId: person.chatUserId });
    expect(JSON.stringify(draft.body.members[0])).to.contain(officer).and.not.contain(member);
    await create();
    const stored = await guild.api.post(`${guild.path}/sync/preview`, {});
    expect(JSON.stringify(stored.body.members[0])).to.contain(plan.add[0]).and.not.contain(member);
    const { body } = await guild.api.get(`${guild.path}/billing`);
    expect(body.usage.mappings).to.equal(1);
  });

  it('Commands add a mapping of a whole group, list it with its roles, and explain it by /why', async () => {
    const { guildId, ownerId, groupId } = guild;
    const added = discord.command(guildId, ownerId, 'mapping group', { group: groupId });
    expect(await privateWords(added)).to.contain(`by name → <@&${member}>, <@&${officer}>`);
    const person = await personOf(100);
    const words = await privateWords(discord.command(guildId, person.chatUserId, 'why'));
    expect(words).to.contain('✅').and.contain(`<@&${officer}>`).and.not.contain(`<@&${member}>`);
  });
});

describe('Limits of a whole group’s mapping', () => {
  useGuild();

  // MAP-8
  it('A mapping of a whole group names conflicts: roles twice, above the bot or mapped elsewhere', async () => {
    await guild.api.post(path, { condition: { type: 'verified' }, roleIds: [member] });
    const twin = await addRole(guild, { name: 'Officer' });
    const isThere = async () => (await guild.api.get(`${guild.path}/roles/${twin}`)).status === 200;
    await eventually(isThere, 'the second role of the name');
    const { mappingId } = await create();
    discord.moveRole(guild.guildId, member, 99);
    const view = await eventually(async () => {
      const now = await read(mappingId);
      return now.ranks[1].problem === 'several_roles' && now.ranks[0].problem !== null ? now : null;
    }, 'the conflicts');
    expect(view.status).to.equal('role_unmanageable');
    expect(view.ranks[0]).to.deep.include({ problem: 'role_above_bot', roleIds: [member] });
    expect(view.ranks[0].otherMappings).to.have.length(1);
    expect(view.ranks[1].roleIds).to.have.members([officer, twin]);
    const { body } = await guild.api.get(guild.path);
    const codes = body.health.map(({ code }: { code: string }) => code);
    expect(codes).to.include.members(['several_roles', 'role_above_bot']);
    const words = await privateWords(discord.command(guild.guildId, guild.ownerId, 'mapping list'));
    expect(words).to.contain('several roles are named Officer').and.contain('no role is named Owner');
    expect(words).to.contain('also given by another mapping: Member');
    const person = await personOf(100);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [twin]);
    await sync(guild, person);
    expect(await rolesOf(guild, person), 'neither given nor taken').to.deep.equal([twin]);
  });

  // MAP-9
  it('A mapping of a whole group holds dangerous roles until an admin has accepted them', async () => {
    const { mappingId } = await create();
    discord.updateRole(guild.guildId, officer, { permissions: PermissionFlagsBits.BanMembers });
    await eventually(async () => (await read(mappingId)).status === 'role_dangerous', 'the danger');
    const person = await personOf(100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    await privateWords(discord.command(guild.guildId, guild.ownerId, 'mapping confirm', { mapping: mappingId }));
    expect((await read(mappingId)).status).to.equal('ok');
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
  });

  // MAP-8
  it('A mapping of a whole group gives only roles below its writer’s highest, now and later', async () => {
    const manager = await buildDiscordManager(guild, 5);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 50);
    await giveTeamRole(guild, manager.chatUserId, 'manager');
    const theirs = await asPerson(manager);
    const { status, body } = await theirs.post(path, whole());
    expect(status).to.equal(201);
    expect(ranksOf(body).slice(0, 2)).to.deep.equal([
      ['Member', null],
      ['Officer', null],
    ]);
    const above = discord.roles(guild.guildId).find(({ name }) => name === 'Staff')?.position ?? 0;
    discord.moveRole(guild.guildId, officer, above);
    await eventually(
      async () => (await read(body.mappingId)).ranks?.[1].problem === 'role_above_mapper',
      'the moved role',
    );
    const person = await personOf(100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const saved = await guild.api.put(`${path}/${body.mappingId}`, whole());
    expect(saved.body.ranks[1].problem, 'an owner saved it').to.equal(null);
    const refused = await theirs.put(`${path}/${body.mappingId}`, { ...whole(), enabled: false });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden']);
  });

  // MAP-4, MAP-12
  it('A mapping of a whole group stands alone and names no roles', async () => {
    const paths = async (body: object) => {
      const answer = await guild.api.post(path, body);
      expect(answer.status).to.equal(400);
      return answer.body.errors.map((issue: { path: string }) => issue.path);
    };
    expect(await paths({ ...whole(), roleIds: [officer] })).to.deep.equal(['roleIds']);
    expect(await paths({ condition: { type: 'verified' } })).to.deep.equal(['roleIds']);
    const nested = { condition: { type: 'all', of: [whole().condition] }, roleIds: [officer] };
    expect(await paths(nested)).to.deep.equal(['condition']);
    const foreign = { condition: { ...whole().condition, groupId: '1' } };
    expect(await paths(foreign)).to.deep.equal(['condition.groupId']);
  });
});
