import { expect } from 'chai';
import mongoose from 'mongoose';
import { chatUser } from '../../../src/core/actors/actor.js';
import { forgetRankingRules, keptRankingRules } from '../../../src/core/groups/kept-ranking-rules.js';
import { keepingUndo, undoChange } from '../../../src/features/configuration/undo-service.js';
import { removeGroup } from '../../../src/features/mappings/group-removal.js';
import { buildGuild, buildMember } from '../../support/build.js';
import { remembered } from '../../support/remembered-rows.js';
import { buildRankingGuild, type RankingGuild, rankedMember, teammate } from './ranking-setup.js';

const rules = { teamRole: 'owner', roleIds: [], highestRank: 6, perHour: 5 } as const;

// RANKING-4
describe('Rules for ranking in a group that is removed and attached again', () => {
  let guild: RankingGuild;
  let groupPath: string;

  beforeEach(async () => {
    guild = await buildRankingGuild();
    groupPath = `${guild.path}/groups/${guild.groupId}`;
    expect((await guild.owner.put(`${groupPath}/ranking`, rules)).status).to.equal(200);
  });

  const rulesNow = async () => (await guild.owner.get(`${groupPath}/ranking`)).body;

  it('A manager lets nobody rank by removing a group and attaching it again', async () => {
    const manager = await teammate(guild, await buildMember(guild), 'manager');
    const admin = await teammate(guild, await rankedMember(guild, 'Major'), 'admin');
    const { chatUserId: memberId } = await rankedMember(guild, 'Recruit');
    expect((await manager.put(`${groupPath}/ranking`, { ...rules, teamRole: 'admin' })).status).to.equal(403);
    expect((await manager.delete(groupPath)).status).to.equal(204);
    expect((await manager.post(`${guild.path}/groups`, { groupId: guild.groupId })).status).to.equal(201);
    const { body } = await admin.post(guild.ranksPath, { memberId, gameRoleId: guild.roleIds.Officer });
    expect(body.code).to.equal('ranking_not_allowed');
    expect(await rulesNow()).to.deep.equal(rules);
  });

  // CONF-35
  it('The undo of a group’s removal brings its rules for ranking back', async () => {
    const actor = chatUser(guild.ownerId, 'owner', 'owner');
    const { undoId } = await keepingUndo(guild.guild, () => removeGroup(guild.guild, actor, guild.groupId));
    await undoChange(guild.guild, actor, undoId ?? '');
    expect(await rulesNow()).to.deep.equal(rules);
  });

  it('Configurations without and with a group leave its rules for ranking as they were', async () => {
    const { body: whole } = await guild.owner.get(`${guild.path}/config`);
    for (const groups of [[], whole.groups]) {
      const { status } = await guild.owner.put(`${guild.path}/config`, { ...whole, groups });
      expect(status).to.equal(200);
    }
    expect(await rulesNow()).to.deep.equal(rules);
  });

  it('The rules for ranking of a group attached again can be replaced, and the newer ones are kept', async () => {
    const newer = { ...rules, highestRank: null, perHour: 7 };
    const again = async () => {
      await guild.owner.delete(groupPath);
      await guild.owner.post(`${guild.path}/groups`, { groupId: guild.groupId });
    };
    await again();
    expect((await guild.owner.put(`${groupPath}/ranking`, newer)).status).to.equal(200);
    await again();
    expect(await rulesNow()).to.deep.equal(newer);
  });

  it('Rules for ranking stay in the server that removed the group', async () => {
    await guild.owner.delete(groupPath);
    const other = await buildGuild();
    expect((await other.api.post(`${other.path}/groups`, { groupId: guild.groupId })).status).to.equal(201);
    expect(await keptRankingRules(other.guildId, guild.groupId)).to.equal(null);
    const { body } = await other.api.get(`${other.path}/groups/${guild.groupId}/ranking`);
    expect(body.perHour).to.equal(30);
  });

  it('A server keeps the rules for ranking of 500 removed groups, those removed latest', async () => {
    const { guildId } = guild;
    const rowOf = (n: number) => ({
      _id: `ranking_rules ${guildId} ${n}`,
      ...{ kind: 'ranking_rules', guildId },
      value: { groupId: String(n), rules, detachedAt: new Date(n) },
    });
    const rows = Array.from({ length: 500 }, (_, n) => rowOf(n + 1));
    await mongoose.connection.collection<{ _id: string }>('remembered').insertMany(rows);
    await guild.owner.delete(groupPath);
    expect(await remembered('ranking_rules', { guildId })).to.have.length(500);
    expect(await keptRankingRules(guildId, '1')).to.equal(null);
    expect((await keptRankingRules(guildId, guild.groupId))?.rules).to.deep.equal(rules);
  });

  it('Rules for ranking that hold again are not kept a second time, unless the group was removed again meanwhile', async () => {
    const { guildId, groupId } = guild;
    const rows = () => remembered('ranking_rules', { guildId });
    await guild.owner.delete(groupPath);
    const former = (await keptRankingRules(guildId, groupId)) ?? expect.fail('not kept');
    expect((await guild.owner.post(`${guild.path}/groups`, { groupId })).status).to.equal(201);
    expect(await rows()).to.deep.equal([]);
    await guild.owner.delete(groupPath);
    // A process that stood still after it had attached the group.
    await forgetRankingRules(guildId, former);
    expect(await rows()).to.have.length(1);
    await guild.owner.post(`${guild.path}/groups`, { groupId });
    expect(await rulesNow()).to.deep.equal(rules);
  });
});
