import { expect } from 'chai';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { type Api, api } from '../../support/api.js';
import { buildPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole } from '../sync/sync-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from './ranking-setup.js';

describe('A token of the role ranker', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;
  let training: Api;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
    training = await ranker({ lowestRank: 5, highestRank: 6 });
  });
  beforeEach(() => guild.useKey());

  async function ranker(limits: object, groupIds = [guild.groupId]): Promise<Api> {
    const ranking = { groupIds, ...limits };
    const { status, body } = await guild.owner.post(`${guild.path}/tokens`, {
      name: 'Training',
      role: 'ranker',
      ranking,
    });
    expect([status, body.ranking?.perHour], JSON.stringify(body)).to.deep.equal([201, body.ranking?.perHour ?? 60]);
    return api(body.token);
  }

  // RANKING-22
  it('A ranker’s token promotes from rank 5 to 6, and nothing else', async () => {
    const { Private, Officer, Recruit, Member } = guild.roleIds;
    const recruit = await rankedMember(guild, 'Recruit');
    const give = async (gameUserId: string, gameRoleId: string) => {
      const { status, body } = await training.post(guild.ranksPath, { gameUserId, gameRoleId });
      return status === 200 ? 'done' : body.code;
    };
    expect(await give(recruit.gameUserId, Officer)).to.equal('rank_above_limit');
    expect(await give(recruit.gameUserId, Member)).to.equal('rank_above_limit');
    expect(await give(recruit.gameUserId, Private)).to.equal('done');
    expect(await ranksOf(guild, recruit)).to.deep.equal([6]);
    expect(await give(recruit.gameUserId, Recruit)).to.equal('rank_above_limit');
    const [officer, member] = [await rankedMember(guild, 'Officer'), await rankedMember(guild, 'Member')];
    expect(await give(officer.gameUserId, Private)).to.equal('rank_above_limit');
    expect(await give(member.gameUserId, Private)).to.equal('rank_above_limit');
    expect(await give(guild.ownerGameUserId, Private)).to.equal('rank_of_own_account');
  });

  // RANKING-22
  it('A role beside the ladder takes no limit from a ranker’s token', async () => {
    const { Recruit, Guard } = guild.roleIds;
    const give = async (token: Api, gameUserId: string, gameRoleId: string) =>
      (await token.post(guild.ranksPath, { gameUserId, gameRoleId })).body.code;
    const guard = await rankedMember(guild, 'Private', 'Guard');
    const promoting = await ranker({ lowestRank: 1, highestRank: 6 });
    expect(await give(promoting, guard.gameUserId, Recruit)).to.equal('rank_above_limit');
    expect(await ranksOf(guild, guard)).to.deep.equal([6, 6]);
    const officer = await rankedMember(guild, 'Officer');
    const high = await ranker({ lowestRank: 50, highestRank: 140 });
    expect(await give(high, officer.gameUserId, Guard)).to.equal('rank_above_limit');
    expect(await ranksOf(guild, officer)).to.deep.equal([100]);
  });

  // RANKING-6
  it('A token that only reads changes no rank, though its maker ranks by a role on Discord', async () => {
    const { discord } = await world();
    const own = await buildRankingGuild();
    const staff = await addRole(own);
    discord.setMemberRoles(own.guildId, own.ownerId, [staff]);
    const rules = { teamRole: 'admin', roleIds: [staff], highestRank: null, perHour: 30 };
    expect((await own.owner.put(`${own.path}/groups/${own.groupId}/ranking`, rules)).status).to.equal(200);
    const recruit = await rankedMember(own, 'Recruit');
    const promote = async (role: string) => {
      const { body } = await own.owner.post(`${own.path}/tokens`, { name: 'Statistics', role });
      return (await api(body.token).post(own.ranksPath, { gameUserId: recruit.gameUserId, step: 1 })).body;
    };
    expect((await promote('viewer')).code).to.equal('ranking_not_allowed');
    expect((await promote('manager')).state).to.equal('done');
    expect(await ranksOf(own, recruit)).to.deep.equal([6]);
  });

  // RANKING-21, RANKING-22
  it('A ranker’s token ranks only in its groups and its server, and opens nothing else', async () => {
    const other = await buildRankingGuild();
    const { gameUserId } = await buildPerson();
    roblox.setGroupRoles(other.groupId, gameUserId, [other.roleIds.Recruit]);
    const wish = { gameUserId, step: 1 };
    expect((await training.post(other.ranksPath, wish)).body.code).to.equal('guild_not_found');
    expect((await training.post(`${guild.path}/groups/${other.groupId}/ranks`, wish)).body.code).to.equal(
      'group_not_found',
    );
    const elsewhere = await ranker({ highestRank: 6 }, [other.groupId]);
    expect((await elsewhere.post(guild.ranksPath, wish)).body.code).to.equal('ranking_not_allowed');
    for (const path of ['', '/members', '/logs', '/groups', `/groups/${guild.groupId}/ranks`])
      expect((await training.get(guild.path + path)).body.code, path).to.equal('forbidden');
    const undo = await training.post(`${guild.ranksPath}/rnk_000000000000000000000000/undo`);
    expect(undo.body.code).to.equal('forbidden');
  });

  // RANKING-22
  it('A ranker’s token makes no more changes in an hour than its limit, also at the same time', async () => {
    const two = await ranker({ highestRank: 6, perHour: 2 });
    const people = await Promise.all(Array.from({ length: 4 }, () => rankedMember(guild, 'Recruit')));
    const answers = await Promise.all(
      people.map(({ gameUserId }) => two.post(guild.ranksPath, { gameUserId, step: 1 })),
    );
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).to.be.lessThanOrEqual(2);
    expect(answers.filter(({ body }) => body.code === 'rate_limited').length).to.equal(4 - done);
  });

  // RANKING-6, RANKING-23
  it('A ranker’s token does no more than its maker could', async () => {
    const high = await ranker({ highestRank: 200 });
    const major = await rankedMember(guild, 'Major');
    const { body } = await high.post(guild.ranksPath, { gameUserId: major.gameUserId, step: 1 });
    expect(body.code).to.be.oneOf(['rank_above_own', 'rank_unchanged']);
    roblox.setGroupRoles(guild.groupId, guild.ownerGameUserId, [guild.roleIds.Recruit]);
    const recruit = await rankedMember(guild, 'Member');
    const lower = await high.post(guild.ranksPath, { gameUserId: recruit.gameUserId, step: 1 });
    expect(lower.body.code).to.equal('rank_above_own');
    roblox.setGroupRoles(guild.groupId, guild.ownerGameUserId, [guild.roleIds.Major]);
  });

  // RANKING-14
  it('A ranker’s repeated idempotency key changes nothing twice', async () => {
    const { gameUserId } = await rankedMember(guild, 'Recruit');
    const both = await ranker({ lowestRank: 1, highestRank: 100 });
    const send = () => both.post(guild.ranksPath, { gameUserId, step: 1 }, { 'idempotency-key': `k-${gameUserId}` });
    const [first, second] = [await send(), await send()];
    expect(second.body).to.deep.equal(first.body);
    expect(await RankChanges.count({ guildId: guild.guildId, gameUserId })).to.equal(1);
  });

  // RANKING-22
  it('A ranker’s token needs limits, and no other token has them', async () => {
    const make = (body: object) => guild.owner.post(`${guild.path}/tokens`, { name: 'x', ...body });
    expect((await make({ role: 'ranker' })).status).to.equal(400);
    const ranking = { groupIds: [guild.groupId], highestRank: 6 };
    expect((await make({ role: 'viewer', ranking })).status).to.equal(400);
    const { body } = await make({ role: 'ranker', ranking });
    const whole = { ...ranking, lowestRank: 1, mayDemote: false, perHour: 60 };
    const list = await guild.owner.get(`${guild.path}/tokens?limit=100`);
    const listed = (list.body.data as { tokenId: string }[]).find(({ tokenId }) => tokenId === body.tokenId);
    const read = await guild.owner.get(`${guild.path}/tokens/${body.tokenId}`);
    for (const shown of [body, listed, read.body]) expect(shown).to.deep.include({ ranking: whole });
    expect((await make({ role: 'ranker', ranking: { ...ranking, lowestRank: 7 } })).status).to.equal(400);
  });
});
