import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { privateWords } from '../../commands/private-answer.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { resync } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// RANK-27
describe('A member of whom Roblox shows only the highest role', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;
  let [lower, same, higher, outside]: string[] = [];

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const { groupId } = guild;
    const range = (min: number, max: number) => mapTo(guild, { type: 'group_rank', groupId, min, max });
    [lower] = await range(1, 50);
    [same] = await range(100, 100);
    [higher] = await range(101, 255);
    [outside] = await mapTo(guild, { type: 'not', of: { type: 'group_member', groupId } });
    person = await buildSettledMember(guild);
    roblox.setRank(groupId, person.gameUserId, 100);
    const { apiKey: _, ...keyless } = config().roblox;
    configureRoblox(keyless);
  });

  afterEach(() => configureRoblox(config().roblox));

  const hold = (...roleIds: (string | undefined)[]) =>
    discord.setMemberRoles(
      guild.guildId,
      person.chatUserId,
      roleIds.flatMap((roleId) => roleId ?? []),
    );

  it('The role of a lower rank is neither given nor taken without a key', async () => {
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([same]);
    hold(lower, same);
    await sync(guild, person);
    await resync(guild);
    expect(await rolesOf(guild, person)).to.have.members([lower ?? '', same ?? '']);
  });

  it('The roles of higher ranks and of people outside are taken without a key', async () => {
    hold(same, higher, outside);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([same]);
  });

  it('Of a whole group, a demotion takes the former role without a key, and a promotion leaves it', async () => {
    const condition = { type: 'group_roles', groupId: guild.groupId, match: 'name' };
    const officer = discord.addRole(guild.guildId, { name: 'Officer' }).id;
    const member = discord.addRole(guild.guildId, { name: 'Member' }).id;
    expect((await guild.api.post(`${guild.path}/mappings`, { condition })).body.highestRoleOnly).to.equal(true);
    hold(same, member);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([same ?? '', officer, member]);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([lower ?? '', member]);
  });

  it('With a key, the role of a lower rank is taken', async () => {
    configureRoblox(config().roblox);
    hold(lower, same);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([same]);
  });

  it('The health, /why and the mapping say that only the highest role is visible', async () => {
    const { body } = await guild.api.get(guild.path);
    const issue = body.health.find(({ code }: { code: string }) => code === 'roblox_highest_only');
    expect(issue).to.include({ severity: 'warning', count: 2 });
    const why = await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`);
    expect(why.body.highestRoleOnly).to.equal(true);
    const own = discord.command(guild.guildId, person.chatUserId, 'why');
    expect(await privateWords(own)).to.contain('only the highest role in each group');
    const { data } = (await guild.api.get(`${guild.path}/mappings`)).body;
    expect(data.map((mapping: { highestRoleOnly?: true }) => mapping.highestRoleOnly)).to.deep.equal([
      ...[true, true, undefined, undefined],
    ]);
  });
});
