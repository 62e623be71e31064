import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
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

  /** A change as left by a killed process. */
  async function leftByKill(
    { chatUserId, gameUserId, gameUsername }: TestPerson,
    { before, after }: Record<'before' | 'after', RankName[]> = { before: ['Recruit'], after: ['Private'] },
  ): Promise<string> {
    const { guildId, groupId, ownerId, roleIds } = guild;
    const role = (name: RankName) => ({ gameRoleId: roleIds[name], name, rank: ranks[name] });
    const at = new Date();
    const _id = newId('rnk', at);
    const actor = { kind: 'user', id: ownerId, name: 'owner' } as const;
    const roles = { before: before.map(role), after: after.map(role) };
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

  // RANKING-16
  it('A half of a change of several roles is taken back where Roblox refuses the rest, whichever roles it moved', async () => {
    const one: RankName[] = ['Recruit'];
    const all: RankName[] = ['Officer', 'Private', 'Recruit'];
    const taking = await rankedMember(guild, 'Private', 'Recruit');
    roblox.inject({ match: /:unassignRole/, status: 403 });
    const demotion = await leftByKill(taking, { before: all, after: one });
    expect(ends(await settle(demotion))).to.deep.equal(['refused', 'permission', undefined]);
    expect(await ranksOf(guild, taking)).to.deep.equal([100, 6, 5]);
    roblox.clearFaults();
    const giving = await rankedMember(guild, 'Officer', 'Recruit');
    roblox.inject({ match: /:assignRole/, status: 403 });
    const undo = await leftByKill(giving, { before: one, after: all });
    expect(ends(await settle(undo))).to.deep.equal(['refused', 'permission', undefined]);
    expect(await ranksOf(guild, giving)).to.deep.equal([5]);
    expect([...(await entriesAbout(taking)), ...(await entriesAbout(giving))]).to.deep.equal([]);
  });

  // RANKING-16
  it('A half of a change of several roles is finished with the roles that it lacks', async () => {
    const person = await rankedMember(guild, 'Officer', 'Recruit');
    const changeId = await leftByKill(person, { before: ['Recruit'], after: ['Officer', 'Private', 'Recruit'] });
    const change = await settle(changeId);
    expect(ends(change)).to.deep.equal(['done', undefined, undefined]);
    expect(change?.after.map(({ name }) => name)).to.deep.equal(['Officer', 'Private', 'Recruit']);
    expect(await ranksOf(guild, person)).to.deep.equal([100, 6, 5]);
  });

  // RANKING-16, RANKING-18
  it('A change of a rank repeated after a lost answer has one entry where the lost one was not made', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'before' });
    const lost = await promoteUnknown(person);
    roblox.clearFaults();
    const { body } = await guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1 });
    expect(body.state).to.equal('done');
    expect(ends(await settle(lost))).to.deep.equal(['refused', 'not_made', undefined]);
    expect(await entriesAbout(person)).to.have.length(1);
  });

  // RANKING-16
  it('One empty page of memberships does not tell that a change of a rank was not made', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'after' });
    const changeId = await promoteUnknown(person);
    roblox.clearFaults();
    roblox.inject({ match: /GET .*groups\/-\/memberships/, corrupt: 'empty_data', times: 1 });
    expect((await settle(changeId))?.state).to.equal('unknown');
    roblox.clearFaults();
    expect(ends(await settle(changeId))).to.deep.equal(['done', undefined, undefined]);
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
  });

  // RANKING-15
  it('A change of a rank with an undo that a look at the group settled can be taken back no more', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { body: made } = await guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1 });
    roblox.inject({ match: /:unassignRole/, dropSocket: true, when: 'after' });
    const { body: undo } = await guild.owner.post(`${guild.ranksPath}/${made.changeId}/undo`);
    roblox.clearFaults();
    expect(undo.state).to.equal('unknown');
    expect((await settle(undo.changeId))?.state).to.equal('done');
    const { body } = await guild.owner.get(`${guild.ranksPath}?limit=100`);
    const first = body.data.find(({ changeId }: { changeId: string }) => changeId === made.changeId);
    expect([first.undoneBy, first.undoableUntil]).to.deep.equal([undo.changeId, null]);
  });

  // RANKING-16, ROBLOX-26
  it('A half-made change of a rank is told as it stands in a group that the operator has taken out', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'after' });
    const changeId = await promoteUnknown(person);
    roblox.clearFaults();
    const groups = config().rankingGroups as Set<string>;
    groups.delete(guild.groupId);
    const change = await settle(changeId).finally(() => groups.add(guild.groupId));
    expect(ends(change)).to.deep.equal(['done', undefined, undefined]);
    expect(await ranksOf(guild, person)).to.deep.equal([6, 5]);
  });
});
