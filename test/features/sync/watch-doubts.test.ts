import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { Members } from '../../../src/features/members/member-model.js';
import { startRankWatch } from '../../../src/features/rank-watch/rank-watch.js';
import { WatchedAccounts } from '../../../src/features/rank-watch/watched-models.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, rolesOf } from './resync-setup.js';
import {
  buildGroupGuild,
  mapTo,
  pendingSyncOf,
  rankFrom,
  reconfigureRoblox,
  setSettings,
  withoutNicknames,
} from './sync-setup.js';
import {
  allPaid,
  beginAlone,
  beginWatch,
  forgetWatched,
  letPass,
  newWatch,
  triggersOf,
  watchAfter,
  watchAll,
  watchedOf,
} from './watch-setup.js';

const allMemberships = /^GET .*\/groups\/-\/memberships/;

// RANK-9, RANK-10
describe('The watch of ranks, in doubt and in company', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  const someone = (guild: ResyncGuild, index = 0) => guild.people[index] ?? expect.fail('nobody there');
  const readings = () => roblox.requests.filter(({ path }) => path.endsWith('/groups/-/memberships')).length;

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  it('The watch of ranks concludes nothing from an answer that is empty for everyone', async () => {
    const guild = await buildResyncGuild({ count: 8 });
    await beginWatch(guild);
    const before = await watchedOf(someone(guild));
    roblox.inject({ match: allMemberships, corrupt: 'empty_data' });
    await watchAfter(61);
    roblox.clearFaults();
    for (const person of guild.people) {
      expect(await triggersOf(guild, person)).to.deep.equal([]);
      expect(await pendingSyncOf(guild, person)).to.equal(undefined);
      expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    }
    expect(await watchedOf(someone(guild))).to.deep.include({ held: before.held, seenAt: before.seenAt });
    await watchAfter(61);
    expect((await watchedOf(someone(guild))).seenAt?.getTime()).to.be.greaterThan(before.seenAt?.getTime() ?? 0);
  });

  // RANK-3
  it('No role is removed after a false answer about one person: the sync reads again', async () => {
    await forgetWatched();
    const guild = await buildResyncGuild({ count: 1 });
    await beginWatch(guild);
    roblox.inject({ match: allMemberships, corrupt: 'empty_data', times: 1 });
    await watchAfter(61);
    await eventually(async () => (await triggersOf(guild, someone(guild))).includes('rank_change'), 'the sync');
    await allPaid(guild);
    expect(await rolesOf(guild, someone(guild))).to.deep.equal([guild.memberRole]);
  });

  it('The watch of ranks leaves people due when Roblox fails, and continues with them', async () => {
    const guild = await buildResyncGuild({ count: 3 });
    await beginWatch(guild);
    roblox.setRank(guild.groupId, someone(guild).gameUserId, 100);
    roblox.inject({ match: allMemberships, status: 403 });
    const before = await watchedOf(someone(guild));
    const failure = await watchAfter(61).catch((error: unknown) => error);
    expect(failure).to.be.an('error');
    roblox.clearFaults();
    expect(await watchedOf(someone(guild))).to.deep.include({ dueAt: before.dueAt, held: before.held });
    await watchAfter(31);
    await eventually(async () => (await rolesOf(guild, someone(guild)))?.includes(guild.officerRole), 'the role');
  });

  // RANK-1
  it('The watch reads a person once for all of their guilds, and enqueues a sync only where a mapping names the group', async () => {
    await forgetWatched();
    const [one, two] = [await buildGroupGuild(), await buildGroupGuild()];
    await Promise.all([one, two].map(withoutNicknames));
    const [roleOne] = await mapTo(one, rankFrom(one, 100));
    const [roleTwo] = await mapTo(two, rankFrom(two, 100));
    const person = await buildPerson();
    await buildMember(one, { person });
    discord.join(two.guildId, person.chatUserId, {});
    await eventually(async () => (await triggersOf(two, person)).length > 0, 'the link in the other guild');
    await beginWatch(one);
    await beginWatch(two);
    await Promise.all([allPaid(one), allPaid(two)]);
    roblox.setRank(one.groupId, person.gameUserId, 100);
    roblox.setRank(two.groupId, person.gameUserId, 100);
    const account = await watchedOf(person);
    expect(account.guildIds.sort()).to.deep.equal([one.guildId, two.guildId].sort());
    roblox.forgetRequests();
    await watchAfter(61);
    // The other calls are the two syncs', which read ranks for themselves.
    expect(readings()).to.be.within(1, 3);
    const holds = async (guild: typeof one, role = '') =>
      discord.member(guild.guildId, person.chatUserId)?.roleIds.includes(role) ?? false;
    await eventually(async () => (await holds(one, roleOne)) && (await holds(two, roleTwo)), 'both roles');
    const noted = (await triggersOf(two, person)).length;
    await allPaid(one);
    roblox.setRank(one.groupId, person.gameUserId, 1);
    await watchAfter(61);
    await eventually(async () => !(await holds(one, roleOne)), 'the loss');
    expect((await triggersOf(two, person)).length).to.equal(noted);
  });

  // RANK-26
  it('The first reading of a new link enqueues a sync, unless the sync of the link has kept its basis', async () => {
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    await mapTo(guild, rankFrom(guild, 1));
    await watchAfter(0);
    const [bare, known] = [await buildMember(guild), await buildMember(guild)];
    await allPaid(guild);
    await Members.update({ guildId: guild.guildId, chatUserId: bare.chatUserId }, { $unset: { wentBy: 1 } });
    await watchAfter(10);
    await allPaid(guild);
    expect(await triggersOf(guild, bare)).to.include('rank_change');
    expect(await triggersOf(guild, known)).not.to.include('rank_change');
  });

  it('A person with a new link gets one pending sync, which sees changes in between', async () => {
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const [role = ''] = await mapTo(guild, rankFrom(guild, 1));
    await watchAfter(0);
    const person = await buildMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await watchAfter(10);
    await eventually(async () => discord.member(guild.guildId, person.chatUserId)?.roleIds.includes(role), 'the role');
  });

  // RANK-2, RESTR-19
  it('The watch reads the groups of restrictions and nicknames, and stores no other group', async () => {
    await forgetWatched();
    const guild = await buildGroupGuild();
    const [role = ''] = await mapTo(guild, { type: 'verified' });
    const [shown, idle] = ['Shown', 'Idle'].map((name) => roblox.addGroup({ name }).id) as [string, string];
    for (const groupId of [shown, idle]) await addGroup(guild.guild, systemActor('test'), groupId);
    await setSettings(guild, {
      nickname: { enabled: true, template: `{groupRank:${shown}} {gameUsername}` },
      restrictions: { ...noRestrictions, requiredGroupIds: [guild.groupId] },
    });
    const person = await buildPerson();
    for (const groupId of [guild.groupId, idle]) roblox.setRank(groupId, person.gameUserId, 1);
    await buildMember(guild, { person });
    await allPaid(guild);
    await beginWatch(guild);
    await allPaid(guild);
    const holds = () => discord.member(guild.guildId, person.chatUserId)?.roleIds.includes(role);
    expect(holds()).to.equal(true);
    const groupIds = (await watchedOf(person)).held.map((text) => text.split(':')[0]);
    expect(groupIds).to.have.members([guild.groupId, shown]);
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    await watchAfter(61);
    await allPaid(guild);
    expect(holds()).to.equal(false);
  });

  // RANK-2
  it('The rank watch polls no suspended guild, and forgets unlinked people', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    await beginWatch(guild);
    const { seenAt } = await watchedOf(someone(guild));
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    await watchAfter(61);
    for (const seconds of [0, 601, 601]) {
      await watchAfter(seconds);
      expect(await watchedOf(someone(guild)))
        .to.deep.include({ held: [] })
        .and.not.to.have.property('seenAt');
    }
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'active' } });
    await guild.api.delete(`${guild.path}/members/${someone(guild, 1).chatUserId}/link`);
    await watchAfter(61);
    await watchAfter(121);
    expect(await WatchedAccounts.findById(someone(guild, 1).gameUserId)).to.equal(null);
    expect((await watchedOf(someone(guild))).seenAt?.getTime()).to.be.greaterThan(seenAt?.getTime() ?? 0);
  });

  // PLAN-2, RANK-27
  it('The watch of ranks asks the older host without a key, thirty times as seldom', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    const restore = reconfigureRoblox();
    try {
      const { apiKey: _, ...keyless } = config().roblox;
      configureRoblox(keyless);
      await beginWatch(guild);
      const { seenAt, dueAt } = await watchedOf(someone(guild));
      expect((dueAt.getTime() - (seenAt?.getTime() ?? 0)) / 60_000).to.equal(30);
      roblox.setRank(guild.groupId, someone(guild).gameUserId, 100);
      await watchAfter(1801);
      await eventually(async () => (await rolesOf(guild, someone(guild)))?.includes(guild.officerRole), 'the role');
    } finally {
      restore();
    }
  });

  it('The watch of ranks never gives two workers the same people at a time', async () => {
    await forgetWatched();
    const guild = await buildResyncGuild({ count: 4 });
    await beginWatch(guild);
    await watchAfter(0);
    roblox.forgetRequests();
    const workers = Array.from({ length: 6 }, () => newWatch());
    letPass(61);
    await Promise.all(workers.map((worker) => watchAll(worker)));
    expect(readings()).to.equal(1);
  });

  it('The watch of ranks runs from the start of the service to its end', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    await beginWatch(guild);
    roblox.setRank(guild.groupId, someone(guild).gameUserId, 100);
    letPass(61);
    const stop = startRankWatch();
    try {
      await eventually(async () => (await rolesOf(guild, someone(guild)))?.includes(guild.officerRole), 'the role');
    } finally {
      await stop(5_000);
    }
  });
});
