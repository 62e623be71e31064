import { expect } from 'chai';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { buildMember } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { mapTo, rankFrom, rolesOf, sync, withoutNicknames } from '../sync/sync-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from './ranking-setup.js';

describe('A rank before it is given', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  afterEach(() => roblox.clearFaults());

  const preview = (body: object) => guild.owner.post(`${guild.ranksPath}/preview`, body);
  const offer = (query: string) => guild.owner.get(`${guild.ranksPath}/offer?${query}`);

  // RANKING-24
  it('The roles that a rank gives and takes on Discord are told without a change, and come with it', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const [recruit = ''] = await mapTo(guild, { ...rankFrom(guild, 5), max: 5 } as ReturnType<typeof rankFrom>);
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    await sync(guild, person);
    const { chatUserId: memberId, gameUserId } = person;
    const { status, body } = await preview({ memberId, gameRoleId: guild.roleIds.Officer });
    expect([status, body.gameUserId, body.discord], JSON.stringify(body)).to.deep.equal([
      200,
      gameUserId,
      { added: [officer], removed: [recruit], nickname: null },
    ]);
    expect(body.before.map(({ name }: { name: string }) => name)).to.deep.equal(['Recruit']);
    expect(body.after.map(({ name }: { name: string }) => name)).to.deep.equal(['Officer']);
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
    expect(await rolesOf(guild, person)).to.deep.equal([recruit]);
    expect(await RankChanges.count({ guildId: guild.guildId, gameUserId })).to.equal(0);
    await guild.owner.post(guild.ranksPath, { memberId, gameRoleId: guild.roleIds.Officer });
    expect(await rolesOf(guild, person)).to.deep.equal([officer]);
  });

  // RANKING-8, RANKING-24
  it('The preview of a step of ranks shows it as it would be made', async () => {
    const { chatUserId: memberId } = await rankedMember(guild, 'Private');
    const namesAfter = async (step: 1 | -1) =>
      (await preview({ memberId, step })).body.after.map(({ name }: { name: string }) => name);
    expect([await namesAfter(1), await namesAfter(-1)]).to.deep.equal([['Officer'], ['Recruit']]);
  });

  // RANKING-24
  it('A rank of an account without a member here has no effect on Discord', async () => {
    const { id: gameUserId } = roblox.addUser({ username: 'NobodyHere' });
    roblox.setGroupRoles(guild.groupId, gameUserId, [guild.roleIds.Recruit]);
    const { body } = await preview({ gameUserId, gameRoleId: guild.roleIds.Private });
    expect([body.gameUserId, body.discord]).to.deep.equal([gameUserId, null]);
  });

  // RANKING-5, RANKING-24
  it('The offered ranks are below the author’s own, and a preview refuses the same as a change', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { body } = await offer(`memberId=${person.chatUserId}`);
    const names = (roles: { name: string }[]) => roles.map(({ name }) => name);
    expect([names(body.held), names(body.offered)]).to.deep.equal([
      ['Recruit'],
      ['Member', 'Private', 'Guard', 'Officer'],
    ]);
    const above = { memberId: person.chatUserId, gameRoleId: guild.roleIds.Major };
    expect((await preview(above)).body.code).to.equal('rank_above_own');
    const own = { memberId: guild.ownerId, gameRoleId: guild.roleIds.Officer };
    expect((await preview(own)).body.code).to.equal('rank_of_own_account');
    expect((await offer(`memberId=${guild.ownerId}`)).body.offered).to.deep.equal([]);
    const outside = await buildMember(guild);
    expect((await offer(`memberId=${outside.chatUserId}`)).body.code).to.equal('not_in_group');
    expect((await offer('')).status).to.equal(400);
    expect((await preview({ gameRoleId: guild.roleIds.Private })).status).to.equal(400);
    expect((await preview({ ...above, step: 1 })).status).to.equal(400);
  });
});
