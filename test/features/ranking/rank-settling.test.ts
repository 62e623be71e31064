import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { type RankChange, RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { newId } from '../../../src/lib/ids.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildRankingGuild, type RankingGuild, type RankName, rankedMember, ranks, ranksOf } from './ranking-setup.js';

describe('A change of a rank without a result', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const entriesAbout = ({ chatUserId }: TestPerson) =>
    AuditLog.find({ guildId: guild.guildId, 'target.id': chatUserId, action: 'member.ranked' });
  const promoteUnknown = async ({ chatUserId: memberId }: TestPerson) => {
    const { status, body } = await guild.owner.post(guild.ranksPath, { memberId, step: 1 });
    expect([status, body.state], JSON.stringify(body)).to.deep.equal([202, 'unknown']);
    return body.changeId as string;
  };
  /** Looks at the group as if the wait were over. Gives the change afterwards. */
  const settle = async (_id: string): Promise<RankChange | null> => {
    await RankChanges.update({ guildId: guild.guildId, _id }, { $set: { dueAt: new Date(0) } });
    await settleRankChanges(new AbortController().signal);
    return RankChanges.findOne({ guildId: guild.guildId, _id });
  };
  const ends = (change: RankChange | null) => [change?.state, change?.refusal, change?.dueAt];

  // RANKING-16
  it('A half-made change of a rank with a lost first answer is finished', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'after' });
    const changeId = await promoteUnknown(person);
    roblox.clearFaults();
    expect(await ranksOf(guild, person)).to.deep.equal([6, 5]);
    expect(ends(await settle(changeId))).to.deep.equal(['done', undefined, undefined]);
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    expect(await entriesAbout(person)).to.have.length(1);
  });

  // RANKING-16
  it('A half-made change of a rank with a lost second answer is finished, whether Roblox made it or not', async () => {
    for (const when of ['before', 'after'] as const) {
      const person = await rankedMember(guild, 'Recruit');
      roblox.inject({ match: /:unassignRole/, dropSocket: true, when });
      const changeId = await promoteUnknown(person);
      roblox.clearFaults();
      expect(await ranksOf(guild, person), when).to.deep.equal(when === 'before' ? [6, 5] : [6]);
      expect(ends(await settle(changeId)), when).to.deep.equal(['done', undefined, undefined]);
      expect(await ranksOf(guild, person), when).to.deep.equal([6]);
      const [entry, ...more] = await entriesAbout(person);
      expect(more, when).to.deep.equal([]);
      expect(entry?.changes?.gameRole, when).to.deep.equal({ from: 'Recruit (5)', to: 'Private (6)' });
    }
  });

  // RANKING-16, RANKING-17
  it('A half-made change of a rank is taken back where Roblox refuses the rest, and has no entry', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:unassignRole/, status: 403, times: 2 });
    const changeId = await promoteUnknown(person);
    expect(ends(await settle(changeId))).to.deep.equal(['refused', 'permission', undefined]);
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
    expect(await entriesAbout(person)).to.deep.equal([]);
  });

  // RANKING-16, RANKING-18
  it('A half-made change of a rank that can be neither finished nor taken back is told as it stands', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:unassignRole/, status: 403 });
    const changeId = await promoteUnknown(person);
    const change = await settle(changeId);
    expect(ends(change)).to.deep.equal(['done', undefined, undefined]);
    expect(change?.after.map(({ rank }) => rank)).to.deep.equal([6, 5]);
    const [entry] = await entriesAbout(person);
    expect(entry?.changes?.gameRole).to.deep.equal({ from: 'Recruit (5)', to: 'Private (6), Recruit (5)' });
  });

  /** A change as left by a process killed in the promotion of a recruit. */
  async function leftByKill({ chatUserId, gameUserId, gameUsername }: TestPerson): Promise<string> {
    const { guildId, groupId, ownerId, roleIds } = guild;
    const role = (name: RankName) => ({ gameRoleId: roleIds[name], name, rank: ranks[name] });
    const at = new Date();
    const _id = newId('rnk', at);
    const actor = { kind: 'user', id: ownerId, name: 'owner' } as const;
    const roles = { before: [role('Recruit')], after: [role('Private')] };
    const person = { chatUserId, gameUserId, gameUsername };
    const change = { _id, guildId, groupId, ...person, actor, by: ownerId, door: 'dashboard', at, ...roles } as const;
    await RankChanges.insert({ ...change, state: 'intended', dueAt: at });
    return _id;
  }

  // RANKING-14, RANKING-16
  it('A change of a rank killed before its first call was not made', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const changeId = await leftByKill(person);
    expect(ends(await settle(changeId))).to.deep.equal(['refused', 'not_made', undefined]);
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
    expect(await entriesAbout(person)).to.deep.equal([]);
  });

  // RANKING-16, RANKING-18
  it('A change of a rank killed after its last call is done, with one entry, however often it is looked at', async () => {
    const person = await rankedMember(guild, 'Private');
    const changeId = await leftByKill(person);
    expect(ends(await settle(changeId))).to.deep.equal(['done', undefined, undefined]);
    await settle(changeId);
    expect(await entriesAbout(person)).to.have.length(1);
  });
});
