import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { Members } from '../../../src/features/members/member-model.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { buildMember, buildPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { mapTo, rankFrom, rolesOf, sync, withoutNicknames } from '../sync/sync-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf, teammate } from './ranking-setup.js';

const never = new AbortController().signal;

describe('A change of a rank', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const entriesAbout = (id: string) =>
    AuditLog.find({ guildId: guild.guildId, 'target.id': id, action: 'member.ranked' });
  const promote = (person: TestPerson, more = {}) =>
    guild.owner.post(guild.ranksPath, { memberId: person.chatUserId, step: 1, ...more });

  // RANKING-1, RANKING-8, RANKING-11, RANKING-18
  it('A promotion moves a member one step up the ladder, gives the role on Discord at once, and has one entry', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const [recruit = ''] = await mapTo(guild, { ...rankFrom(guild, 5), max: 5 } as ReturnType<typeof rankFrom>);
    const [private_ = ''] = await mapTo(guild, rankFrom(guild, 6));
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([recruit]);
    const { status, body } = await promote(person, { reason: 'passed the quiz' });
    expect([status, body.state, body.memberId], JSON.stringify(body)).to.deep.equal([200, 'done', person.chatUserId]);
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    expect(await rolesOf(guild, person)).to.deep.equal([private_]);
    const [entry, ...more] = await entriesAbout(person.chatUserId);
    expect(more).to.deep.equal([]);
    expect(entry?.actor.id).to.equal(guild.ownerId);
    // An erasure of the account finds no name of it here.
    expect(entry?.target.name).to.equal(person.username);
    expect(entry?.changes).to.deep.include({
      gameRole: { from: 'Recruit (5)', to: 'Private (6)' },
      note: { from: null, to: 'passed the quiz' },
      door: { from: null, to: 'dashboard' },
    });
    const stored = await RankChanges.findOne({ guildId: guild.guildId, _id: body.changeId });
    expect([stored?.state, stored?.dueAt]).to.deep.equal(['done', undefined]);
  });

  // RANKING-10
  it('A demotion takes a role that the group got after it was last read', async () => {
    await readGameGroup(guild.groupId);
    const captain = roblox.addGroupRole(guild.groupId, { name: 'Captain', rank: 50 });
    const person = await buildMember(guild);
    roblox.setGroupRoles(guild.groupId, person.gameUserId, [captain.id]);
    const wish = { memberId: person.chatUserId, gameRoleId: guild.roleIds.Recruit };
    const { status, body } = await guild.owner.post(guild.ranksPath, wish);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
  });

  // RANKING-19
  it('The order in which Roblox lists two roles of one rank is no change of the rank', async () => {
    const person = await rankedMember(guild, 'Guard', 'Private');
    const { Private, Guard, Recruit } = guild.roleIds;
    const { body: offer } = await guild.owner.get(`${guild.ranksPath}/offer?memberId=${person.chatUserId}`);
    const [{ gameRoleId: seenGameRoleId }] = offer.held;
    const other = seenGameRoleId === Guard ? [Private, Guard] : [Guard, Private];
    roblox.setGroupRoles(guild.groupId, person.gameUserId, other);
    const wish = { memberId: person.chatUserId, gameRoleId: Recruit, seenGameRoleId };
    expect((await guild.owner.post(guild.ranksPath, wish)).body.state).to.equal('done');
  });

  // RANKING-8, RANKING-9
  it('A step of ranks leaves roles beside the ladder alone, and naming one adds it', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { gameUserId, chatUserId: memberId } = person;
    await guild.owner.post(guild.ranksPath, { memberId, gameRoleId: guild.roleIds.Guard });
    expect(await ranksOf(guild, person)).to.deep.equal([6, 5]);
    await guild.owner.post(guild.ranksPath, { gameUserId, step: -1 });
    expect(await ranksOf(guild, person)).to.deep.equal([6, 1]);
  });

  // RANKING-1
  it('A person outside the server is ranked by their Roblox account, and nobody is ranked outside the group', async () => {
    const { gameUserId } = await buildPerson();
    const absent = await guild.owner.post(guild.ranksPath, { gameUserId, step: 1 });
    expect([absent.status, absent.body.code]).to.deep.equal([409, 'not_in_group']);
    roblox.setGroupRoles(guild.groupId, gameUserId, [guild.roleIds.Member]);
    const { status, body } = await guild.owner.post(guild.ranksPath, { gameUserId, gameRoleId: guild.roleIds.Officer });
    expect([status, body.memberId]).to.deep.equal([200, null]);
    expect((await entriesAbout(gameUserId))[0]?.target.kind).to.equal('game_user');
  });

  // RANKING-5
  it('Nobody gives or takes a rank at or above their own, ranks themselves, or touches the owner', async () => {
    const officer = await rankedMember(guild, 'Officer');
    const major = await rankedMember(guild, 'Major');
    const admin = await teammate(guild, officer, 'admin');
    const tries = [
      [admin, { memberId: major.chatUserId, step: -1 }, 'rank_above_own'],
      [
        admin,
        { memberId: (await rankedMember(guild, 'Recruit')).chatUserId, gameRoleId: guild.roleIds.Officer },
        'rank_above_own',
      ],
      [admin, { memberId: officer.chatUserId, step: 1 }, 'rank_of_own_account'],
      [guild.owner, { gameUserId: guild.ownerGameUserId, step: -1 }, 'rank_of_own_account'],
      [guild.owner, { memberId: major.chatUserId, step: -1 }, 'rank_above_own'],
    ] as const;
    for (const [caller, wish, code] of tries) {
      const { status, body } = await caller.post(guild.ranksPath, wish);
      expect([status, body.code]).to.deep.equal([403, code]);
    }
    expect(await ranksOf(guild, major)).to.deep.equal([150]);
  });

  // RANKING-4
  it('The rules of the group say who may rank, how far and how often', async () => {
    const other = await buildRankingGuild();
    const captain = await rankedMember(other, 'Officer');
    const caller = await teammate(other, captain, 'manager');
    const { chatUserId: memberId } = await rankedMember(other, 'Member');
    const step = { memberId, step: 1 };
    expect((await caller.post(other.ranksPath, step)).body.code).to.equal('ranking_not_allowed');
    const rules = { teamRole: 'manager', roleIds: [], highestRank: 5, perHour: 2 };
    const rulesPath = `${other.path}/groups/${other.groupId}/ranking`;
    expect((await caller.put(rulesPath, rules)).status).to.equal(403);
    expect((await other.owner.put(rulesPath, rules)).body).to.deep.equal(rules);
    expect((await caller.post(other.ranksPath, step)).status).to.equal(200);
    const above = await caller.post(other.ranksPath, step);
    expect([above.status, above.body.code]).to.deep.equal([403, 'rank_above_limit']);
    expect((await caller.post(other.ranksPath, { memberId, step: -1 })).status).to.equal(200);
    const third = await caller.post(other.ranksPath, step);
    expect([third.status, third.body.code]).to.deep.equal([429, 'rate_limited']);
  });

  // RANKING-7
  it('A rank that is not below the key’s account is refused before Roblox is asked', async () => {
    const low = await buildRankingGuild('Officer');
    const { chatUserId: memberId } = await rankedMember(low, 'Recruit');
    const { status, body } = await low.owner.post(low.ranksPath, { memberId, gameRoleId: low.roleIds.Officer });
    expect([status, body.code]).to.deep.equal([403, 'rank_above_key']);
    expect(roblox.requests.filter(({ path }) => path.includes(`${low.groupId}/memberships/`))).to.deep.equal([]);
  });

  // RANKING-2
  it('A group that the operator has not named, or that another server attached, is no group to rank in', async () => {
    const stranger = await buildRankingGuild();
    const foreign = `${guild.path}/groups/${stranger.groupId}/ranks`;
    expect((await guild.owner.post(foreign, { gameUserId: '1', step: 1 })).body.code).to.equal('group_not_found');
  });

  // RANKING-15
  it('A change of a rank is taken back within a day, and not once the rank has changed since', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { body: made } = await promote(person);
    expect(made.undoableUntil).to.be.a('string');
    const undone = await guild.owner.post(`${guild.ranksPath}/${made.changeId}/undo`);
    expect([undone.status, undone.body.undoes], JSON.stringify(undone.body)).to.deep.equal([200, made.changeId]);
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
    const again = await guild.owner.post(`${guild.ranksPath}/${made.changeId}/undo`);
    expect([again.status, again.body.code]).to.deep.equal([409, 'rank_not_undoable']);
    const { body: second } = await promote(person);
    roblox.setGroupRoles(guild.groupId, person.gameUserId, [guild.roleIds.Member]);
    const late = await guild.owner.post(`${guild.ranksPath}/${second.changeId}/undo`);
    expect([late.status, late.body.code]).to.deep.equal([409, 'rank_changed']);
    const { body } = await guild.owner.get(guild.ranksPath);
    expect(body.data.map(({ changeId }: { changeId: string }) => changeId)).to.include(made.changeId);
  });

  // RANKING-13
  it('A list of ten ranks changes each by itself, and more than five demotions take their number', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => rankedMember(guild, 'Recruit')));
    const changes = people.map(({ chatUserId: memberId }) => ({ memberId, step: -1 as const }));
    const asked = await guild.owner.post(`${guild.ranksPath}/many`, { changes });
    expect([asked.status, asked.body.code], JSON.stringify(asked.body)).to.deep.equal([409, 'demotions_unconfirmed']);
    const stranger = { gameUserId: guild.ownerGameUserId, step: 1 };
    const { status, body } = await guild.owner.post(`${guild.ranksPath}/many`, {
      changes: [...changes, stranger],
      demotions: 6,
    });
    expect(status).to.equal(200);
    const codes = body.data.map(({ refusal }: { refusal: { code: string } | null }) => refusal?.code ?? 'done');
    expect(codes).to.deep.equal([...people.map(() => 'done'), 'rank_of_own_account']);
  });

  // RANKING-13
  it('Demotions of people with a role beside the ladder count among those of a list', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => rankedMember(guild, 'Private', 'Guard')));
    const { Recruit } = guild.roleIds;
    const changes = people.map(({ chatUserId: memberId }) => ({ memberId, gameRoleId: Recruit }));
    const { body } = await guild.owner.post(`${guild.ranksPath}/many`, { changes });
    expect(body.code).to.equal('demotions_unconfirmed');
  });

  // RANKING-14, RANKING-16
  it('Without an answer of Roblox a change of a rank is unknown, and the next look at the group tells', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, dropSocket: true, when: 'after' });
    const { status, body } = await promote(person);
    expect([status, body.state], JSON.stringify(body)).to.deep.equal([202, 'unknown']);
    await RankChanges.update({ guildId: guild.guildId, _id: body.changeId }, { $set: { dueAt: new Date(0) } });
    roblox.clearFaults();
    await settleRankChanges(never);
    const settled = await RankChanges.findOne({ guildId: guild.guildId, _id: body.changeId });
    expect(settled?.state).to.equal('done');
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    expect(settled?.dueAt).to.equal(undefined);
  });

  // RANKING-19
  it('Two rankers at once make two steps of one member, one after the other', async () => {
    const person = await rankedMember(guild, 'Member');
    const answers = await Promise.all([promote(person), promote(person)]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    const both = await Promise.all([0, 1].map(() => promote(person, { seenGameRoleId: guild.roleIds.Private })));
    expect(both.map(({ body }) => body.code ?? 'done').sort()).to.deep.equal(['done', 'rank_changed']);
  });

  // RANKING-4
  it('A link by a server’s word shows no rank of its author', async () => {
    const person = await buildMember(guild);
    const word = { method: 'imported' as const, voucher: { chatUserId: null, ceilingRoleId: null } };
    await Members.update({ guildId: guild.guildId, chatUserId: person.chatUserId }, { $set: { word } });
    const caller = await teammate(guild, person, 'admin');
    const { body } = await caller.post(guild.ranksPath, { gameUserId: guild.ownerGameUserId, step: -1 });
    expect(body.code).to.equal('own_rank_unknown');
  });
});
