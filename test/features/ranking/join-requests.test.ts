import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { api, asPerson } from '../../support/api.js';
import { buildMember, buildPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { mapTo, rankFrom, rolesOf, withoutNicknames } from '../sync/sync-setup.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf, teammate } from './ranking-setup.js';

type Decision = 'accept' | 'decline';

describe('Requests to join a Roblox group', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  /** People without a link here who ask to join, in this order. */
  async function asking(count: number): Promise<string[]> {
    const people = await Promise.all(Array.from({ length: count }, () => buildPerson()));
    for (const { gameUserId } of people) roblox.requestToJoin(guild.groupId, gameUserId);
    return people.map(({ gameUserId }) => gameUserId);
  }
  async function askingMember(): Promise<TestPerson> {
    const person = await buildMember(guild);
    roblox.requestToJoin(guild.groupId, person.gameUserId);
    return person;
  }
  const answer = (decision: Decision, gameUserIds: readonly string[], more = {}, by = guild.owner) =>
    by.post(guild.requestsPath, { decision, gameUserIds, ...more });
  const resultsOf = (body: { results: { result: string; problem: { code: string } | null }[] }) =>
    body.results.map(({ result, problem }) => problem?.code ?? result);
  const entriesAbout = (id: string) => AuditLog.find({ guildId: guild.guildId, 'target.id': id });
  const stillAsking = async (): Promise<string[]> =>
    (await guild.owner.get(guild.requestsPath)).body.data.map(({ gameUserId }: { gameUserId: string }) => gameUserId);

  // RANKING-25, ID-19
  it('The list of requests to join has each person with the age of their account, and their member while it is shown', async () => {
    const member = await askingMember();
    const [stranger = ''] = await asking(1);
    const { status, body } = await guild.owner.get(guild.requestsPath);
    expect([status, body.nextCursor], JSON.stringify(body)).to.deep.equal([200, null]);
    const [first, second] = body.data;
    expect(first).to.deep.include({
      gameUserId: member.gameUserId,
      gameUsername: member.gameUsername,
      member: { memberId: member.chatUserId, username: member.username },
    });
    expect(Date.parse(first.accountCreatedAt)).to.be.below(Date.parse(first.requestedAt) + 1);
    expect([second.gameUserId, second.member]).to.deep.equal([stranger, null]);
    expect(resultsOf((await answer('decline', [member.gameUserId, stranger])).body)).to.have.length(2);
  });

  // RANKING-25
  it('The list of requests to join goes on by Roblox’s pages, and refuses stale cursors and those of another list', async () => {
    const people = await asking(23);
    const first = (await guild.owner.get(`${guild.requestsPath}?limit=10`)).body;
    const ids: string[] = first.data.map(({ gameUserId }: { gameUserId: string }) => gameUserId);
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const { status, body } = await guild.owner.get(`${guild.requestsPath}?limit=5&cursor=${cursor}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      ids.push(...body.data.map(({ gameUserId }: { gameUserId: string }) => gameUserId));
      cursor = body.nextCursor;
    }
    expect(ids).to.deep.equal(people);
    const inCursor = (place: object) => Buffer.from(JSON.stringify(place)).toString('base64url');
    const place = { joinRequestsOf: guild.groupId, size: 10, token: 'stale' };
    for (const wrong of [inCursor(place), inCursor({ ...place, joinRequestsOf: '1' }), inCursor({}), 'x']) {
      const { status, body } = await guild.owner.get(`${guild.requestsPath}?cursor=${wrong}`);
      expect([status, body.errors?.[0]?.path]).to.deep.equal([400, 'query.cursor']);
    }
    for (const limit of ['0', '21', '-1', 'x']) {
      expect((await guild.owner.get(`${guild.requestsPath}?limit=${limit}`)).status).to.equal(400);
    }
    for (const id of people) roblox.withdrawRequest(guild.groupId, id);
  });

  // RANKING-26, RANKING-29
  it('A member accepted into a group gets their role at once, with one entry that names author and reason', async () => {
    const person = await askingMember();
    const [memberRole = ''] = await mapTo(guild, { ...rankFrom(guild, 1), max: 1 } as ReturnType<typeof rankFrom>);
    const { status, body } = await answer('accept', [person.gameUserId], { reason: 'Passed the interview' });
    expect([status, resultsOf(body)], JSON.stringify(body)).to.deep.equal([200, ['accepted']]);
    expect(await ranksOf(guild, person)).to.deep.equal([1]);
    expect(await rolesOf(guild, person)).to.deep.equal([memberRole]);
    const entries = (await entriesAbout(person.chatUserId)).filter(({ action }) => action.startsWith('join_request'));
    expect(entries.map(({ action, actor }) => [action, actor.id])).to.deep.equal([
      ['join_request.accepted', guild.ownerId],
    ]);
    expect(Object.keys(entries[0]?.changes ?? {})).to.deep.equal(['group', 'note', 'door']);
    expect(entries[0]?.changes).to.deep.include({ note: { from: null, to: 'Passed the interview' } });
    const again = await answer('accept', [person.gameUserId]);
    expect(resultsOf(again.body)).to.deep.equal(['gone']);
    const { body: ranks } = await guild.owner.get(guild.ranksPath);
    expect(ranks.data, 'no change of a rank').to.deep.equal([]);
    const [change] = await RankChanges.find({ guildId: guild.guildId, gameUserId: person.gameUserId });
    const { rankChanges } = (await (await asPerson(person)).get('/api/auth/me/export')).body;
    expect(rankChanges.map(({ decision }: { decision: string }) => decision)).to.deep.equal(['accept']);
    const undo = await guild.owner.post(`${guild.ranksPath}/${change?._id}/undo`);
    expect(undo.body.code).to.equal('rank_not_undoable');
  });

  // RANKING-26
  it('A list of answers to requests to join makes each by itself, and the same key gives the same answer', async () => {
    const [first = '', second = ''] = await asking(2);
    const { gameUserId: nobody } = await buildPerson();
    roblox.requestToJoin(guild.groupId, guild.ownerGameUserId);
    const wish = [first, nobody, guild.ownerGameUserId, second];
    const key = { 'idempotency-key': `requests-${first}` };
    const send = () => guild.owner.post(guild.requestsPath, { decision: 'decline', gameUserIds: wish }, key);
    const { body } = await send();
    const results = ['declined', 'gone', 'rank_of_own_account', 'declined'];
    expect(resultsOf(body), JSON.stringify(body)).to.deep.equal(results);
    expect((await send()).body).to.deep.equal(body);
    expect(await stillAsking()).to.deep.equal([guild.ownerGameUserId]);
    roblox.withdrawRequest(guild.groupId, guild.ownerGameUserId);
    const [entry] = await entriesAbout(first);
    expect([entry?.action, entry?.target.kind]).to.deep.equal(['join_request.declined', 'game_user']);
    const twice = await answer('decline', [first, first]);
    expect(twice.status).to.equal(400);
  });

  // RANKING-26
  it('Requests to join are refused to each person without the right before Roblox is asked, at both doors', async () => {
    const [person = ''] = await asking(1);
    const nobody = await rankedMember(guild, 'Officer');
    const outsider = await buildMember(guild);
    const lowest = await rankedMember(guild, 'Member');
    const unlinked = await buildMember(guild, { linked: false });
    const limits = { groupIds: [guild.groupId], lowestRank: 1, highestRank: 100, mayDemote: true };
    const made = await guild.owner.post(`${guild.path}/tokens`, { name: 'game', role: 'ranker', ranking: limits });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const callers = [
      [await teammate(guild, nobody, 'manager'), 'ranking_not_allowed', 'ranking_not_allowed'],
      [await teammate(guild, unlinked, 'admin'), 'own_rank_unknown', 'own_rank_unknown'],
      [await teammate(guild, lowest, 'admin'), null, 'rank_above_own'],
      [await teammate(guild, outsider, 'admin'), null, 'rank_above_own'],
      [api(made.body.token), 'forbidden', 'forbidden'],
    ] as const;
    const from = roblox.requests.length;
    for (const [caller, read, answered] of callers) {
      const list = await caller.get(guild.requestsPath);
      expect(list.body.code ?? null).to.equal(read);
      const { body } = await answer('accept', [person], {}, caller);
      expect(body.code).to.equal(answered);
    }
    const writes = roblox.requests.slice(from).filter(({ path: asked }) => /:(accept|decline)$/.test(asked));
    expect(writes).to.deep.equal([]);
    expect(await stillAsking()).to.deep.equal([person]);
    await answer('decline', [person]);
  });

  // RANKING-2
  it('A group that another server attached shows and answers no request to join', async () => {
    const stranger = await buildRankingGuild();
    const foreign = `${guild.path}/groups/${stranger.groupId}/join-requests`;
    expect((await guild.owner.get(foreign)).body.code).to.equal('group_not_found');
    const { body } = await guild.owner.post(foreign, { decision: 'accept', gameUserIds: ['1'] });
    expect(body.code).to.equal('group_not_found');
  });

  // RANKING-28
  it('Roblox’s refusals of answers to requests to join are told in words, and nothing is changed', async () => {
    const [person = ''] = await asking(1);
    for (const [status, code, words] of [
      [403, 'roblox_refused', /may not answer join requests on Roblox/],
      [401, 'roblox_refused', /refuses the API key/],
      [429, 'rate_limited', /takes no more changes/],
    ] as const) {
      roblox.inject({ match: /:accept/, status, retryAfter: 1, times: 1 });
      const { body } = await answer('accept', [person]);
      expect(body.results[0].problem, JSON.stringify(body)).to.deep.include({ code });
      expect(body.results[0].problem.detail).to.match(words);
    }
    roblox.setKey({ accountId: person });
    const list = await guild.owner.get(guild.requestsPath);
    expect([list.status, list.body.code]).to.deep.equal([409, 'roblox_refused']);
    guild.useKey();
    expect(await stillAsking()).to.deep.equal([person]);
    expect(await entriesAbout(person)).to.deep.equal([]);
    roblox.withdrawRequest(guild.groupId, person);
  });

  // RANKING-26
  it('Each answer to a request to join counts for the author’s limit in an hour', async () => {
    const other = await buildRankingGuild();
    const rules = { teamRole: 'admin', roleIds: [], highestRank: null, perHour: 1 };
    await other.owner.put(`${other.path}/groups/${other.groupId}/ranking`, rules);
    const people = [await buildPerson(), await buildPerson()].map(({ gameUserId }) => gameUserId);
    for (const id of people) roblox.requestToJoin(other.groupId, id);
    const wish = { decision: 'accept', gameUserIds: people };
    const { body } = await other.owner.post(other.requestsPath, wish);
    expect(resultsOf(body)).to.deep.equal(['accepted', 'rate_limited']);
  });

  // RANKING-27
  for (const [decision, when, state] of [
    ['accept', 'after', 'done'],
    ['decline', 'after', 'done'],
    ['accept', 'before', 'refused'],
    ['decline', 'before', 'refused'],
  ] as const) {
    it(`A lost answer to ${decision} a request to join, lost ${when} it was made, is told by a look at the group`, async () => {
      const person = await askingMember();
      roblox.inject({ match: new RegExp(`:${decision}`), dropSocket: true, when, times: 1 });
      const { body } = await answer(decision, [person.gameUserId]);
      expect(resultsOf(body)).to.deep.equal(['unknown']);
      const one = { guildId: guild.guildId, gameUserId: person.gameUserId };
      await RankChanges.update(one, { $set: { dueAt: new Date(0) } });
      await settleRankChanges(new AbortController().signal);
      const settled = await RankChanges.findOne(one);
      expect([settled?.state, settled?.dueAt]).to.deep.equal([state, undefined]);
      const entries = (await entriesAbout(person.chatUserId)).filter(({ action }) => action.startsWith('join_request'));
      expect(entries).to.have.length(state === 'done' ? 1 : 0);
      roblox.withdrawRequest(guild.groupId, person.gameUserId);
    });
  }
});
