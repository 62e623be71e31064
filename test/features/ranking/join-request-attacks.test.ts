import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import type { GrantableRole } from '../../../src/core/actors/team-roles.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { suspend } from '../../../src/features/admin/guild-suspension.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { type Api, api, asPerson } from '../../support/api.js';
import { buildMember, buildPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf, teammate } from './ranking-setup.js';

// RANKING-25 to RANKING-29
describe('Requests to join, under attack', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  async function asking(some = guild): Promise<string> {
    const { gameUserId } = await buildPerson();
    roblox.requestToJoin(some.groupId, gameUserId);
    return gameUserId;
  }
  const accept = (by: Api, gameUserIds: string[], at = guild.requestsPath) =>
    by.post(at, { decision: 'accept', gameUserIds });
  const codeOf = ({ body }: { body: { code?: string; results?: { result: string }[] } }) =>
    body.code ?? body.results?.map(({ result }) => result).join();
  const answersAbout = async (gameUserId: string) =>
    (await AuditLog.find({ guildId: guild.guildId, 'target.id': gameUserId })).map(({ action }) => action);

  it('Requests to join hold each team role to the rules of the group, and each token to its role', async () => {
    const rulesPath = `${guild.path}/groups/${guild.groupId}/ranking`;
    const roles: readonly GrantableRole[] = ['viewer', 'manager', 'admin'];
    const people = await Promise.all(
      roles.map(async (role) => teammate(guild, await rankedMember(guild, 'Officer'), role)),
    );
    for (const teamRole of ['manager', 'admin', 'owner'] as const) {
      const least = [...roles, 'owner'].indexOf(teamRole);
      await guild.owner.put(rulesPath, { teamRole, roleIds: [], highestRank: null, perHour: 1_000 });
      for (const [n, person] of people.entries()) {
        const gameUserId = await asking();
        const expected = n >= least ? 'accepted' : 'ranking_not_allowed';
        expect(codeOf(await accept(person, [gameUserId])), `${roles[n]} by ${teamRole}`).to.equal(expected);
        expect((await person.get(guild.requestsPath)).status).to.equal(n >= least ? 200 : 403);
        expect(await ranksOf(guild, { gameUserId })).to.have.length(n >= least ? 1 : 0);
        roblox.withdrawRequest(guild.groupId, gameUserId);
      }
    }
    await guild.owner.put(rulesPath, { teamRole: 'admin', roleIds: [], highestRank: null, perHour: 1_000 });
    const gameUserId = await asking();
    for (const role of ['viewer', 'manager', 'verifier'] as const) {
      const token = api(await tokenFor(guild.guildId, role));
      const code = role === 'verifier' ? 'forbidden' : 'ranking_not_allowed';
      expect([codeOf(await accept(token, [gameUserId])), codeOf(await token.get(guild.requestsPath))]).to.deep.equal([
        code,
        code,
      ]);
    }
    const stranger = api(await tokenFor((await buildRankingGuild()).guildId, 'owner'));
    guild.useKey();
    expect(codeOf(await accept(stranger, [gameUserId]))).to.equal('guild_not_found');
    expect(codeOf(await accept(api(), [gameUserId]))).to.equal('unauthenticated');
    const member = await asPerson(await rankedMember(guild, 'Officer'));
    expect(codeOf(await accept(member, [gameUserId]))).to.be.oneOf(['forbidden', 'guild_not_found']);
    expect(await answersAbout(gameUserId)).to.deep.equal([]);
    roblox.withdrawRequest(guild.groupId, gameUserId);
  });

  it('A highest rank below the group’s lowest one lets nobody be taken into the group', async () => {
    const rulesPath = `${guild.path}/groups/${guild.groupId}/ranking`;
    const { status } = await guild.owner.put(rulesPath, {
      teamRole: 'admin',
      roleIds: [],
      highestRank: 1,
      perHour: 30,
    });
    expect(status).to.equal(200);
    const gameUserId = await asking();
    expect(codeOf(await accept(guild.owner, [gameUserId]))).to.equal('accepted');
    roblox.setGroupRoles(guild.groupId, guild.ownerGameUserId, [guild.roleIds.Member]);
    expect(codeOf(await accept(guild.owner, [await asking()]))).to.equal('rank_above_own');
    roblox.setGroupRoles(guild.groupId, guild.ownerGameUserId, [guild.roleIds.Major]);
    await guild.owner.put(rulesPath, { teamRole: 'admin', roleIds: [], highestRank: null, perHour: 1_000 });
  });

  it('Two people at once answer one request to join once, with one call and one entry', async () => {
    const gameUserId = await asking();
    const from = roblox.requests.length;
    const answers = await Promise.all([
      accept(guild.owner, [gameUserId]),
      guild.owner.post(guild.requestsPath, { decision: 'decline', gameUserIds: [gameUserId] }),
      accept(guild.api, [gameUserId]),
    ]);
    const results = answers.map(codeOf).sort();
    expect(results.filter((result) => result === 'gone')).to.have.length(2);
    const writes = roblox.requests.slice(from).filter(({ path: asked }) => /:(accept|decline)$/.test(asked));
    expect(writes).to.have.length(1);
    expect(await answersAbout(gameUserId)).to.have.length(1);
  });

  it('The hourly limit of answers to requests to join holds for several at the same time', async () => {
    const other = await buildRankingGuild();
    const rules = { teamRole: 'admin', roleIds: [], highestRank: null, perHour: 2 };
    await other.owner.put(`${other.path}/groups/${other.groupId}/ranking`, rules);
    const people = await Promise.all(Array.from({ length: 5 }, () => asking(other)));
    const answers = await Promise.all(people.map((id) => accept(other.owner, [id], other.requestsPath)));
    const done = answers.map(codeOf).filter((result) => result === 'accepted').length;
    expect(done).to.be.at.most(2);
    const rest = await accept(other.owner, people, other.requestsPath);
    const now = rest.body.results.filter(({ result }: { result: string }) => result === 'accepted').length;
    expect(done + now).to.be.at.most(2);
    expect(await RankChanges.count({ guildId: other.guildId })).to.be.at.most(2);
  });

  it('No request to join is answered in a group taken out by the operator, a suspended server or a detached group', async () => {
    const other = await buildRankingGuild();
    const gameUserId = await asking(other);
    config().rankingGroups.delete(other.groupId);
    for (const answer of [
      await other.owner.get(other.requestsPath),
      await accept(other.owner, [gameUserId], other.requestsPath),
    ]) {
      expect(answer.body.code).to.equal('ranking_off');
    }
    (config().rankingGroups as Set<string>).add(other.groupId);
    await suspend(other.guildId, 'Spam', systemActor('test'));
    for (const answer of [
      await other.owner.get(other.requestsPath),
      await accept(other.owner, [gameUserId], other.requestsPath),
    ]) {
      expect(answer.body.code).to.equal('guild_suspended');
    }
    expect(await ranksOf(other, { gameUserId })).to.deep.equal([]);
  });

  // ID-19
  it('A request to join by a hidden account names no member, in the list, the answer and the log', async () => {
    const person = await buildMember(guild);
    const { gameUserId, chatUserId } = person;
    roblox.requestToJoin(guild.groupId, gameUserId);
    await (await asPerson(person)).put(`/api/auth/me/consents/${guild.guildId}`, { shown: false });
    const list = await guild.owner.get(guild.requestsPath);
    const [found] = list.body.data.filter((one: { gameUserId: string }) => one.gameUserId === gameUserId);
    expect(found.member).to.equal(null);
    const answer = await accept(guild.owner, [gameUserId]);
    expect(codeOf(answer)).to.equal('accepted');
    const stored = await RankChanges.find({ guildId: guild.guildId, gameUserId });
    const entries = await AuditLog.find({ guildId: guild.guildId, 'target.id': gameUserId });
    expect(entries.map(({ target }) => target.kind)).to.deep.equal(['game_user']);
    expect(JSON.stringify([list.body, answer.body, stored, entries])).not.to.contain(chatUserId);
  });

  // RANKING-27
  it('A repeated answer to a request to join, not made at first, has one entry', async () => {
    const gameUserId = await asking();
    roblox.inject({ match: /:accept/, dropSocket: true, when: 'before', times: 1 });
    expect(codeOf(await accept(guild.owner, [gameUserId]))).to.equal('unknown');
    expect(codeOf(await accept(guild.owner, [gameUserId]))).to.equal('accepted');
    const open = { guildId: guild.guildId, gameUserId, state: 'unknown' as const };
    await RankChanges.update(open, { $set: { dueAt: new Date(0) } });
    await settleRankChanges(new AbortController().signal);
    expect(await answersAbout(gameUserId)).to.deep.equal(['join_request.accepted']);
    const states = (await RankChanges.find({ guildId: guild.guildId, gameUserId })).map(({ state }) => state);
    expect(states.sort()).to.deep.equal(['done', 'refused']);
  });

  // RANKING-27
  it('An answer to a request to join that a kill cut off before its call is looked at, and made once at most', async () => {
    const gameUserId = await asking();
    roblox.inject({ match: /:accept/, dropSocket: true, when: 'after', times: 1 });
    expect(codeOf(await accept(guild.owner, [gameUserId]))).to.equal('unknown');
    expect(codeOf(await accept(guild.owner, [gameUserId])), 'repeated before it is settled').to.equal('gone');
    await RankChanges.update({ guildId: guild.guildId, gameUserId }, { $set: { dueAt: new Date(0) } });
    const never = new AbortController().signal;
    await Promise.all([settleRankChanges(never), settleRankChanges(never)]);
    expect(await answersAbout(gameUserId)).to.deep.equal(['join_request.accepted']);
  });

  it('Bodies that answer no request to join are refused by their fields', async () => {
    const gameUserId = await asking();
    for (const body of [
      {},
      { decision: 'ban', gameUserIds: [gameUserId] },
      { decision: 'accept', gameUserIds: [] },
      { decision: 'accept', gameUserIds: Array.from({ length: 11 }, (_, n) => String(n + 1)) },
      { decision: 'accept', gameUserIds: ['../1'] },
      { decision: 'accept', gameUserIds: [Number(gameUserId)] },
      { decision: 'accept', gameUserIds: [gameUserId], reason: 'two\nlines' },
      { decision: 'accept', gameUserIds: [gameUserId], door: 'discord' },
    ]) {
      const { status } = await guild.owner.post(guild.requestsPath, body);
      expect(status, JSON.stringify(body)).to.equal(400);
    }
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([]);
  });
});
