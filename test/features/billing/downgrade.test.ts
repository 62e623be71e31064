import { expect } from 'chai';
import { changePlan } from '../../../src/core/guilds/guild-service.js';
import type { PlanName } from '../../../src/core/plans/plans.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { benchMapping } from '../../bench/reads-guild.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild, type TestPerson } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { world } from '../../support/world.js';

const verified = { type: 'verified' };

interface Downgraded extends TestGuild {
  member: TestPerson;
  /** The roles in eleven mappings for all verified members, oldest first: one more than the plan free allows. */
  roleIds: string[];
  holds(): string[];
  resync(): Promise<{ status: number; body: { added: string[]; removed: string[] } }>;
}

async function guildWithElevenMappings(): Promise<Downgraded> {
  const { discord } = await world();
  const guild = await buildGuild();
  const { api, path, guildId } = guild;
  const roleIds = Array.from({ length: 11 }, (_, index) => discord.addRole(guildId, { name: `Role ${index}` }).id);
  const newest = roleIds.at(-1) ?? '';
  await factsWhere(guildId, ({ roles }) => roles.has(newest), 'the roles');
  for (const roleId of roleIds) {
    const { status } = await api.post(`${path}/mappings`, { condition: verified, roleIds: [roleId] });
    expect(status).to.equal(201);
  }
  const member = await buildMember(guild);
  return {
    ...guild,
    member,
    roleIds,
    holds: () => [...(discord.member(guildId, member.chatUserId)?.roleIds ?? [])].sort(),
    resync: () => api.post(`${path}/members/${member.chatUserId}/resync`),
  };
}

const setPlan = ({ guildId }: TestGuild, plan: PlanName) => changePlan(guildId, plan);

// PLAN-4, PLAN-5, PLAN-7
describe('A guild after a downgrade', () => {
  withPromptSyncs();
  // PLAN-6
  it('A mapping beyond the plan neither gives nor takes roles, and works again after an upgrade', async () => {
    const { discord } = await world();
    const guild = await guildWithElevenMappings();
    const { api, path, member, roleIds } = guild;
    const [oldest = '', newest = ''] = [roleIds[0], roleIds.at(-1)];
    expect(guild.holds()).to.deep.equal([...roleIds].sort());
    await setPlan(guild, 'free');

    // Neither taken …
    expect((await guild.resync()).body).to.deep.include({ added: [], removed: [] });
    await api.delete(`${path}/members/${member.chatUserId}/link`);
    await eventually(() => guild.holds().length === 1, 'the loss of the other roles');
    expect(guild.holds()).to.deep.equal([newest]);
    // … nor given.
    const second = await buildMember(guild);
    const roles = discord.member(guild.guildId, second.chatUserId)?.roleIds ?? [];
    expect([...roles].sort()).to.deep.equal(roleIds.slice(0, 10).sort());

    // A place that becomes free is taken by the next oldest.
    const list = (await api.get(`${path}/mappings?limit=100`)).body.data;
    const first = list.find((mapping: { roleIds: string[] }) => mapping.roleIds[0] === oldest);
    await api.put(`${path}/mappings/${first.mappingId}`, { condition: verified, roleIds: [oldest], enabled: false });
    const resynced = await api.post(`${path}/members/${second.chatUserId}/resync`);
    expect(resynced.body).to.deep.include({ added: [newest], removed: [] });
    await api.put(`${path}/mappings/${first.mappingId}`, { condition: verified, roleIds: [oldest] });

    await setPlan(guild, 'pro');
    const third = await buildMember(guild);
    const all = discord.member(guild.guildId, third.chatUserId)?.roleIds ?? [];
    expect([...all].sort()).to.deep.equal([...roleIds].sort());
  });

  it('A guild keeps and sees everything after a downgrade, with an explanation for each paused part', async () => {
    const guild = await guildWithElevenMappings();
    const { api, path } = guild;
    const shown = async () => (await api.get(`${path}/mappings?limit=100`)).body.data;
    const health = async () => (await api.get(path)).body.health;
    expect(await health()).to.deep.equal([]);
    await setPlan(guild, 'free');
    const mappings = await shown();
    expect(mappings).to.have.length(11);
    const paused = mappings.filter((mapping: { paused?: string }) => mapping.paused !== undefined);
    expect(
      paused.map((mapping: { roleIds: string[]; paused: string }) => [mapping.roleIds[0], mapping.paused]),
    ).to.deep.equal([[guild.roleIds.at(-1), 'mappings_over_plan']]);
    // By pages, too, each without some.
    const { data: firstTen, nextCursor } = (await api.get(`${path}/mappings?limit=10`)).body;
    const { data: rest } = (await api.get(`${path}/mappings?limit=10&cursor=${nextCursor}`)).body;
    expect([...firstTen, ...rest]).to.deep.equal(mappings);
    const [issue, ...more] = await health();
    expect(more).to.deep.equal([]);
    expect(issue).to.include({ code: 'mappings_over_plan', plan: 'free', limit: 10, count: 1 });
    expect(issue.detail).to.contain('The plan free allows 10 mappings. The newest 1 beyond that');
    const { body } = await api.post(`${path}/sync/preview`, {});
    expect(body.warnings.map(({ code }: { code: string }) => code)).to.deep.equal(['mappings_paused']);
    expect(body.members).to.deep.equal([]);
    const refused = await api.post(`${path}/mappings`, { condition: verified, roleIds: [guild.roleIds[0]] });
    expect([refused.status, refused.body.code]).to.deep.equal([402, 'plan_limit_reached']);
    expect((await api.get(`${path}/billing`)).body).to.deep.include({ plan: 'free' });
    expect((await api.get(`${path}/billing`)).body.usage.mappings).to.equal(11);

    await setPlan(guild, 'enterprise');
    expect(await health()).to.deep.equal([]);
    expect((await shown()).some((mapping: { paused?: string }) => mapping.paused)).to.equal(false);
  });

  it('Each page marks the mappings that are paused, even where ids and moments are in different orders', async () => {
    const { api, path, guildId } = await buildGuild();
    // Four a second: in each second, the last by its id is the first by its moment.
    const drafts = Array.from({ length: 15 }, (_, n) => {
      const second = 1_700_000_000 + Math.floor(n / 4);
      const createdAt = new Date(second * 1_000 + 900 - (n % 4) * 100);
      const _id = `map_${second.toString(16)}${String(n).padStart(16, '0')}`;
      return { ...benchMapping(guildId, n, guildId), _id, createdAt };
    });
    for (const draft of drafts) await Mappings.insert(draft);
    await changePlan(guildId, 'free');
    const whole = (await api.get(`${path}/mappings?limit=100`)).body.data;
    const paused = whole.filter((mapping: { paused?: string }) => mapping.paused !== undefined);
    expect(paused.map(({ name }: { name: string }) => name)).to.deep.equal(
      [9, 8, 14, 13, 12].map((n) => `Mapping ${n}`),
    );
    for (let limit = 1; limit < 15; limit += 1) {
      const { data, nextCursor } = (await api.get(`${path}/mappings?limit=${limit}`)).body;
      const { data: next } = (await api.get(`${path}/mappings?limit=${limit}&cursor=${nextCursor}`)).body;
      expect([...data, ...next], `by ${limit}`).to.deep.equal(whole.slice(0, 2 * limit));
    }
  });

  it('Mappings of groups beyond the plan are paused, and people keep the roles that those gave', async () => {
    const { discord, roblox } = await world();
    const guild = await buildGuild();
    const { api, path, guildId } = guild;
    const roleId = discord.addRole(guildId, { name: 'Fourth' }).id;
    await factsWhere(guildId, ({ roles }) => roles.has(roleId), 'the role');
    const groups = Array.from({ length: 4 }, (_, index) => roblox.addGroup({ name: `Group ${index}` }));
    for (const { id } of groups) expect((await api.post(`${path}/groups`, { groupId: id })).status).to.equal(201);
    const fourth = groups[3]?.id ?? '';
    const condition = { type: 'group_member', groupId: fourth };
    expect((await api.post(`${path}/mappings`, { condition, roleIds: [roleId] })).status).to.equal(201);
    const member = await buildMember(guild);
    roblox.setRank(fourth, member.gameUserId, 1);
    const resync = () => api.post(`${path}/members/${member.chatUserId}/resync`);
    // By the joining sync, or by this one.
    const hasRole = async () =>
      (await resync()) && discord.member(guildId, member.chatUserId)?.roleIds.includes(roleId);
    await eventually(hasRole, 'the role given');

    await setPlan(guild, 'free');
    roblox.leaveGroup(fourth, member.gameUserId);
    for (let times = 0; times < 3; times += 1) expect((await resync()).body.removed).to.deep.equal([]);
    const [issue] = (await api.get(path)).body.health;
    expect(issue).to.include({ code: 'groups_over_plan', plan: 'free', limit: 3 });
    expect(issue.groupNames).to.include('Group 3');
    expect(issue.detail).to.contain('Group 3');
    const [shown] = (await api.get(`${path}/mappings`)).body.data;
    expect([shown.paused, shown.status]).to.deep.equal(['groups_over_plan', 'ok']);

    await setPlan(guild, 'pro');
    await eventually(async () => !(await hasRole()), 'the role taken');
  });
});
