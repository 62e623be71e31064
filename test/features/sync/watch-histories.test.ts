import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { Members } from '../../../src/features/members/member-model.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, resync, rolesOf } from './resync-setup.js';
import { buildGroupGuild, mapTo, pendingSyncOf, rankFrom, retryNow, sync } from './sync-setup.js';
import { allPaid, beginAlone, beginWatch, newWatch, watchAfter, watchAll } from './watch-setup.js';

/** The watch alone brings roles in step: no daily reconciliation runs in these tests. */
// RANK-5
describe('The rank watch and the basis of the last sync', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  const person = (guild: ResyncGuild, index: number) => guild.people[index] ?? expect.fail('nobody');
  const holds = async (guild: ResyncGuild, index: number) =>
    (await rolesOf(guild, person(guild, index)))?.includes(guild.officerRole) ?? false;
  const comesTo = (guild: ResyncGuild, index: number, wanted: boolean) =>
    eventually(async () => (await holds(guild, index)) === wanted, `officer: ${wanted}`);
  /** In four goals at two minutes everybody is read in full. */
  const fourGoals = async () => {
    for (let minute = 0; minute < 9; minute += 1) await watchAfter(61);
  };

  for (const [count, how] of [
    [3, 'by its people'],
    [120, 'by the counts of its roles'],
  ] as const) {
    describe(`In a group watched ${how}`, () => {
      let guild: ResyncGuild;
      before(async () => {
        guild = await buildResyncGuild({ count });
        await resync(guild);
        await beginWatch(guild);
      });

      it('The watch takes a role that /update gave after a promotion, when the demotion came before the next poll', async () => {
        roblox.setRank(guild.groupId, person(guild, 0).gameUserId, 100);
        await sync(guild, person(guild, 0));
        expect(await holds(guild, 0)).to.equal(true);
        roblox.setRank(guild.groupId, person(guild, 0).gameUserId, 1);
        await fourGoals();
        await comesTo(guild, 0, false);
      });

      it('The watch gives a role that a sync missed by an outdated answer of Roblox', async () => {
        roblox.setRank(guild.groupId, person(guild, 1).gameUserId, 100);
        await watchAfter(61);
        await comesTo(guild, 1, true);
        await allPaid(guild);
        roblox.setRank(guild.groupId, person(guild, 1).gameUserId, 1);
        await sync(guild, person(guild, 1));
        expect(await holds(guild, 1)).to.equal(false);
        roblox.setRank(guild.groupId, person(guild, 1).gameUserId, 100);
        await fourGoals();
        await comesTo(guild, 1, true);
      });

      it('The watch enqueues no sync for a member synced by the same ranks already', async () => {
        roblox.setRank(guild.groupId, person(guild, 2).gameUserId, 100);
        await sync(guild, person(guild, 2));
        await fourGoals();
        await allPaid(guild);
        const { guildId } = guild;
        const { syncs = [] } = (await Members.findOne({ guildId, chatUserId: person(guild, 2).chatUserId })) ?? {};
        expect(syncs.map(({ trigger }) => trigger)).not.to.include('rank_change');
      });
    });
  }

  // RANK-6
  it('The watch syncs a promoted person in each of eight servers, seven of which began to use the group a moment ago', async () => {
    const first = await buildResyncGuild({ count: 1 });
    const somebody = person(first, 0);
    await resync(first);
    await beginWatch(first);
    const watch = newWatch();
    await watchAll(watch);
    const others = [];
    for (let number = 0; number < 7; number += 1) {
      const guild = await buildGroupGuild();
      await addGroup(guild.guild, systemActor('test'), first.groupId);
      discord.join(guild.guildId, somebody.chatUserId);
      await linkPerson(guild.guildId, somebody);
      others.push({ ...guild, groupId: first.groupId });
    }
    for (const guild of others) await allPaid(guild);
    const roles: string[] = [];
    for (const guild of others) roles.push(...(await mapTo(guild, rankFrom(guild, 100))));
    roblox.setRank(first.groupId, somebody.gameUserId, 100);
    await watchAfter(61, watch);
    await comesTo(first, 0, true);
    for (const [index, guild] of others.entries()) {
      const isGiven = async () => (await rolesOf(guild, somebody))?.includes(roles[index] ?? '');
      await eventually(isGiven, `the role in server ${index + 2}`);
    }
  });

  // RANK-8
  it('The watch leaves the pending sync of a promoted member under a ban, and the role comes once the ban is lifted', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const somebody = person(guild, 0);
    await Accounts.create({ ...somebody, _id: somebody.chatUserId, gameDisplayName: 'A', method: 'oauth' });
    await resync(guild);
    roblox.setBanned(somebody.gameUserId, true);
    roblox.setRank(guild.groupId, somebody.gameUserId, 100);
    await sync(guild, somebody);
    expect(await holds(guild, 0)).to.equal(false);
    expect(await pendingSyncOf(guild, somebody)).to.include({ attempts: 1 });
    roblox.setBanned(somebody.gameUserId, false);
    await retryNow(guild, somebody);
    expect(await holds(guild, 0)).to.equal(true);
    expect(await pendingSyncOf(guild, somebody)).to.equal(undefined);
  });

  it('A sync repeatedly postponed by a ban is reported once', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const somebody = person(guild, 0);
    await Accounts.create({ ...somebody, _id: somebody.chatUserId, gameDisplayName: 'A', method: 'oauth' });
    roblox.setBanned(somebody.gameUserId, true);
    await sync(guild, somebody);
    await retryNow(guild, somebody);
    await retryNow(guild, somebody);
    const { guildId } = guild;
    const { syncs = [] } = (await Members.findOne({ guildId, chatUserId: somebody.chatUserId })) ?? {};
    expect(syncs).to.have.length(1);
    expect((await pendingSyncOf(guild, somebody))?.attempts).to.equal(3);
  });

  // RANK-4, SYNC-32
  it('The watch stores the basis of a resync with members in step, and writes nothing where it is stored already', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    const { guildId, groupId, memberRole } = guild;
    const { chatUserId, gameUserId, gameUsername: nickname } = person(guild, 0);
    await resync(guild);
    const noted = await Members.findOne({ guildId, chatUserId });
    expect(noted?.wentBy).to.deep.include({ gameUserId });
    expect(noted?.wentBy?.held[0]).to.match(new RegExp(`^${groupId}:\\d+$`));
    expect(noted?.left).to.deep.equal({ roleIds: [memberRole], nickname });
    await resync(guild);
    expect(await Members.findOne({ guildId, chatUserId })).to.deep.include({ wentBy: noted?.wentBy });
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    discord.setMemberRoles(guildId, chatUserId, [memberRole, roleId]);
    await resync(guild);
    const after = await Members.findOne({ guildId, chatUserId });
    expect(after?.left?.roleIds).to.have.members([memberRole, roleId]);
  });
});
