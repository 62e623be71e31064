import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { api, asPerson } from '../../support/api.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { buildRankingGuild, type RankingGuild, rankedMember } from './ranking-setup.js';

describe('Changes of ranks of people that hide their account', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const hide = async (person: TestPerson) => {
    const { status } = await (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false });
    expect(status).to.equal(200);
  };
  const listed = async ({ gameUserId }: TestPerson) => {
    const { body } = await guild.owner.get(`${guild.ranksPath}?limit=100`);
    return body.data.filter((change: { gameUserId: string }) => change.gameUserId === gameUserId);
  };

  // ID-19, RANKING-20
  it('The list of requests to join names no member for an account hidden here, and names them once it is shown', async () => {
    const person = await rankedMember(guild, 'Recruit');
    await guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1 });
    expect((await listed(person))[0].memberId).to.equal(person.chatUserId);
    await hide(person);
    const hidden = await listed(person);
    expect(hidden.map(({ memberId }: { memberId: string | null }) => memberId)).to.deep.equal([null]);
    expect(JSON.stringify(hidden)).not.to.contain(person.chatUserId);
    await (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: true });
    expect((await listed(person))[0].memberId).to.equal(person.chatUserId);
  });

  // ID-18, ID-95, RANKING-1
  it('A change of a rank of a hidden account, or of another one, names no member in the answer, list and log', async () => {
    const person = await rankedMember(guild, 'Recruit');
    await hide(person);
    const member = await rankedMember(guild, 'Recruit');
    const other = await addOther(member);
    roblox.setGroupRoles(guild.groupId, other.gameUserId, [guild.roleIds.Recruit]);
    for (const { gameUserId, chatUserId } of [person, { ...other, chatUserId: member.chatUserId }]) {
      const { status, body } = await guild.owner.post(guild.ranksPath, { gameUserId, step: 1 });
      expect([status, body.memberId]).to.deep.equal([200, null]);
      const stored = await RankChanges.find({ guildId: guild.guildId, gameUserId });
      expect(stored.map((change) => change.chatUserId)).to.deep.equal([undefined]);
      const entries = await AuditLog.find({ guildId: guild.guildId, action: 'member.ranked', 'target.id': gameUserId });
      expect(entries.map(({ target }) => target.kind)).to.deep.equal(['game_user']);
      expect(JSON.stringify([body, entries])).not.to.contain(chatUserId);
    }
    const byId = await guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1 });
    expect([byId.status, byId.body.code]).to.deep.equal([404, 'not_linked']);
  });

  // ID-19, RANKING-16
  it('A change of a rank settled after the member hid their account has an entry about the account alone', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { gameUserId, chatUserId } = person;
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'after' });
    const { body } = await guild.owner.post(guild.ranksPath, { memberId: chatUserId, step: 1 });
    expect(body.state).to.equal('unknown');
    roblox.clearFaults();
    await hide(person);
    await RankChanges.update({ guildId: guild.guildId, _id: body.changeId }, { $set: { dueAt: new Date(0) } });
    await settleRankChanges(new AbortController().signal);
    const entries = await AuditLog.find({ guildId: guild.guildId, action: 'member.ranked' });
    const about = entries.filter(({ target }) => [gameUserId, chatUserId].includes(target.id));
    expect(about.map(({ target }) => [target.kind, target.id])).to.deep.equal([['game_user', gameUserId]]);
    // Erasure and export still find it.
    const stored = await RankChanges.findOne({ guildId: guild.guildId, _id: body.changeId });
    expect([stored?.state, stored?.chatUserId]).to.deep.equal(['done', chatUserId]);
  });

  // ID-95, RANKING-5
  it('A program learns nothing of its maker’s other accounts, and the maker may not rank them', async () => {
    const maker = { chatUserId: guild.ownerId, username: 'owner', gameUserId: '', gameUsername: '' };
    const other = await addOther(maker);
    roblox.setGroupRoles(guild.groupId, other.gameUserId, [guild.roleIds.Recruit]);
    const wish = { gameUserId: other.gameUserId, step: 1 };
    expect((await guild.owner.post(guild.ranksPath, wish)).body.code).to.equal('rank_of_own_account');
    const ranking = { groupIds: [guild.groupId], lowestRank: 5, highestRank: 6 };
    const made = await guild.owner.post(`${guild.path}/tokens`, { name: 'Training', role: 'ranker', ranking });
    const training = api(made.body.token);
    expect((await training.post(guild.ranksPath, wish)).status).to.equal(200);
    const own = await training.post(guild.ranksPath, { ...wish, gameUserId: guild.ownerGameUserId });
    expect(own.body.code).to.equal('rank_of_own_account');
  });
});
