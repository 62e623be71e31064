import { expect } from 'chai';
import { pollLog } from '../../../src/features/rank-watch/group-log-poll.js';
import { readInterests } from '../../../src/features/rank-watch/rank-interests.js';
import { logEveryMs } from '../../../src/features/rank-watch/rank-target.js';
import { RankWatch } from '../../../src/features/rank-watch/rank-watch.js';
import { noteReadings, subjectsOf } from '../../../src/features/rank-watch/seen-ranks.js';
import { countGroupsOf } from '../../../src/features/rank-watch/watched-group-counts.js';
import {
  urgentAt,
  WatchedAccounts,
  type WatchedGroup,
  WatchedGroups,
  type WatchedGuild,
  WatchedGuilds,
} from '../../../src/features/rank-watch/watched-models.js';
import { clock } from '../../../src/lib/clock.js';
import { secondMs } from '../../../src/lib/time.js';
import { readPublicMemberships } from '../../../src/platforms/roblox/public-memberships.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, forgetPending } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, rolesOf } from './resync-setup.js';
import { reconfigureRoblox } from './sync-setup.js';
import {
  allPaid,
  beginAlone,
  beginWatch,
  letPass,
  newWatch,
  triggersOf,
  watchAfter,
  watchedOf,
} from './watch-setup.js';

const count = 120;
const never = new AbortController().signal;
const log = /^GET .*\/audit-log$/;

// RANK-15, RANK-17, RANK-19
describe('The watch of ranks by the log of a group', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;
  let next = 0;
  let restore: () => void;

  before(async () => {
    ({ discord, roblox } = await world());
    // Pauses and averages learnt from earlier files are discarded with their configuration.
    restore = reconfigureRoblox();
    await beginAlone();
    guild = await buildResyncGuild({ count });
    roblox.showGroupLog(guild.groupId);
    await beginWatch(guild);
    await watchAfter(61);
  });
  after(() => restore());
  beforeEach(async () => {
    // A test's lines are not older than the earlier test's.
    letPass(0);
    // Roles and people are not due for long, so that only the log can report changes.
    const far = new Date(Date.now() + 1e9);
    await WatchedGroups.updateOne({ _id: guild.groupId }, { $set: { 'roles.$[].readAt': far } });
    await WatchedAccounts.updateMany({}, { $set: { dueAt: far } });
    await WatchedGroups.updateOne({ _id: guild.groupId }, { $unset: { logFrom: 1 } });
    roblox.forgetRequests();
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  const anyone = () => {
    next += 1;
    return guild.people[next] ?? expect.fail('nobody is left');
  };
  const group = () => WatchedGroups.findById(guild.groupId).orFail().lean<WatchedGroup>();
  const calls = (path: RegExp) => roblox.requests.filter((request) => path.test(`GET ${request.path}`)).length;
  const isOfficer = async (person: ReturnType<typeof anyone>) =>
    (await rolesOf(guild, person))?.includes(guild.officerRole) ?? false;
  const seesPromotion = async () => {
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(61);
    await eventually(() => isOfficer(person), 'the role');
    await allPaid(guild);
  };

  it('The watch of a group’s log begins with the first poll', async () => {
    expect(await group(), JSON.stringify(await group())).to.include({ counted: true });
    expect((await group()).logUpTo, JSON.stringify(await group())).to.be.a('date');
  });

  it('The watch reads only people named by a line of the log, and neither counts nor other members', async () => {
    const person = anyone();
    const other = anyone();
    const { seenAt } = await watchedOf(other);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(61);
    await eventually(() => isOfficer(person), 'the role');
    await eventually(async () => (await triggersOf(guild, person)).includes('rank_change'), 'the note');
    expect(calls(log)).to.equal(1);
    expect(calls(/\/groups\/\d+\/roles$/)).to.equal(0);
    expect(calls(/\/groups\/\d+\/memberships$/)).to.equal(0);
    expect((await watchedOf(other)).seenAt).to.deep.equal(seenAt);
    await allPaid(guild);
  });

  // RANK-21
  it('The log of a group is polled every ten seconds', async () => {
    await watchAfter(61);
    const [looks, begun] = [calls(log), clock.epochMs()];
    for (let look = 1; look <= 3; look += 1) {
      const person = anyone();
      roblox.setRank(guild.groupId, person.gameUserId, 100);
      await watchAfter(11);
      await eventually(() => isOfficer(person), 'the role');
    }
    const tens = Math.floor((clock.epochMs() - begun) / (10 * secondMs));
    expect(calls(log) - looks).to.be.within(3, tens + 1);
    expect(calls(/\/groups\/\d+\/(roles|memberships)$/)).to.equal(0);
    await allPaid(guild);
  });

  it('People named by the log are read although the batch of their guild is running', async () => {
    await watchAfter(61);
    const [{ _id, claimedUntil }] = await WatchedGuilds.find().lean<[WatchedGuild]>();
    await WatchedGuilds.updateOne({ _id }, { $set: { claimedUntil: new Date(Date.now() + 1e9) } });
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(11);
    await eventually(() => isOfficer(person), 'the role');
    await WatchedGuilds.updateOne({ _id }, { $set: { claimedUntil } });
    await allPaid(guild);
  });

  it('People named by the log wait for the next batch when Roblox does not return their ranks', async () => {
    await watchAfter(61);
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    roblox.inject({ match: /\/cloud\/v2\/groups\/-\/memberships/, status: 403 });
    letPass(11);
    expect(await newWatch().poll()).to.equal(0);
    expect(await watchedOf(person)).to.deep.include({ dueAt: urgentAt });
    roblox.clearFaults();
    await watchAfter(1);
    await eventually(() => isOfficer(person), 'the role');
    expect(calls(/\/groups\/\d+\/(roles|memberships)$/)).to.equal(0);
    await allPaid(guild);
  });

  // RANK-21
  it('The log of a group is polled less often the more logs there are, down to the interval of the counts', () => {
    expect(logEveryMs(120_000, 500)).to.equal(10_000);
    expect(logEveryMs(120_000, 45_000)).to.equal(45_000);
    expect(logEveryMs(120_000, 1e6)).to.equal(60_000);
  });

  it('The log immediately shows that two people have swapped, and that a person has left and come', async () => {
    const [down, up] = [guild.people[next - 1] ?? expect.fail('nobody'), anyone()];
    roblox.setRank(guild.groupId, down.gameUserId, 1);
    roblox.setRank(guild.groupId, up.gameUserId, 100);
    await watchAfter(61);
    await eventually(async () => (await isOfficer(up)) && !(await isOfficer(down)), 'the swap');
    roblox.leaveGroup(guild.groupId, up.gameUserId);
    await watchAfter(61);
    await eventually(async () => (await rolesOf(guild, up))?.length === 0, 'the loss');
    roblox.setRank(guild.groupId, up.gameUserId, 1);
    await watchAfter(61);
    await eventually(async () => (await rolesOf(guild, up))?.length === 1, 'the role');
    await allPaid(guild);
  });

  it('The watch reads no one again once lines of the log are a minute old', async () => {
    await watchAfter(61);
    await watchAfter(61);
    roblox.forgetRequests();
    await watchAfter(61);
    expect(roblox.requests.map(({ path }) => path.split('/').at(-1))).to.deep.equal(['audit-log']);
  });

  it('The watch reads people named by a line again after half a minute, since the log may be ahead of the ranks', async () => {
    await watchAfter(61);
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(11);
    await eventually(() => isOfficer(person), 'the role');
    await allPaid(guild);
    const askedAfter = async (seconds: number) => {
      roblox.forgetRequests();
      await watchAfter(seconds);
      return roblox.requests.map(({ path }) => path.split('/').at(-1));
    };
    expect(await askedAfter(11)).to.deep.equal(['audit-log']);
    expect(await askedAfter(20)).to.deep.equal(['audit-log', 'memberships']);
    expect(await askedAfter(11)).to.deep.equal(['audit-log']);
  });

  it('A rank seen by the log is not undone by a reading that began before, and ends after', async () => {
    await watchAfter(61);
    const person = anyone();
    const before = await watchedOf(person);
    const seenAt = clock.now();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(11);
    await eventually(() => isOfficer(person), 'the role');
    await allPaid(guild);
    const now = await watchedOf(person);
    const interests = await readInterests();
    const ofBefore = (await readPublicMemberships(anyone().gameUserId)) ?? new Map();
    const old = new Map([[person.gameUserId, ofBefore]]);
    const noted = { seenAt, interests, paced: async () => {} };
    for (const known of [before, now]) {
      await noteReadings(await subjectsOf([known], interests), old, noted);
      expect((await watchedOf(person)).held).to.deep.equal(now.held);
    }
    expect(now.held).not.to.deep.equal(before.held);
  });

  // RANK-3
  it('The watch changes no one because of a line of the log alone', async () => {
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await watchAfter(61);
    await watchAfter(61);
    expect(await triggersOf(guild, person)).not.to.include('rank_change');
    expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
  });

  it('The log is polled as seldom as the counts where calls are few, and the counts are not polled instead', async () => {
    letPass(61);
    const watch = new RankWatch(never, 0.01);
    expect(await watch.poll()).to.equal(0);
    const { seenAt, dueAt } = await group();
    expect(dueAt.getTime() - (seenAt?.getTime() ?? 0)).to.equal(60_000);
    expect(calls(log)).to.equal(1);
    await WatchedGroups.updateOne({ _id: guild.groupId }, { $set: { dueAt: urgentAt } });
    letPass(30);
    expect(await watch.poll()).to.equal(0);
    expect(roblox.requests).to.have.lengthOf(1);
    // It asks again in a second: another log may have had the call.
    expect((await group()).dueAt.getTime()).to.be.below(dueAt.getTime());
    letPass(31);
    expect(await watch.poll()).to.equal(0);
    expect(calls(log)).to.equal(1);
    expect(calls(/\/groups\/\d+\/roles$/)).to.equal(1);
  });

  it('The watch uses the counts when the log is suddenly empty, or in reverse order', async () => {
    for (const corrupt of ['empty_data', 'reversed', 'truncated'] as const) {
      const { logUpTo } = await group();
      roblox.inject({ match: log, corrupt });
      await seesPromotion();
      expect(calls(/\/groups\/\d+\/roles$/), corrupt).to.be.greaterThan(0);
      expect((await group()).logUpTo, corrupt).to.deep.equal(logUpTo);
      roblox.clearFaults();
      letPass(300);
      await watchAfter(61);
      expect((await group()).logUpTo?.getTime(), corrupt).to.be.greaterThan(logUpTo?.getTime() ?? 0);
      await allPaid(guild);
    }
  });

  it('The watch finds changes that the log leaves out when it reads the roles again', async () => {
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    roblox.forgetGroupLog(guild.groupId);
    roblox.setRank(guild.groupId, anyone().gameUserId, 100);
    await watchAfter(61);
    await WatchedGroups.updateOne({ _id: guild.groupId }, { $unset: { 'roles.$[].readAt': 1 } });
    await watchAfter(61);
    await eventually(() => isOfficer(person), 'the role');
    await allPaid(guild);
  });

  // RANK-18
  it('The watch reads everyone when the log has more lines than it reads', async () => {
    const [person, stranger] = [anyone(), roblox.addUser({ username: 'Restless' }).id];
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    for (let index = 0; index < 400; index += 1) roblox.setRank(guild.groupId, stranger, index % 2 ? 1 : 100);
    const before = await watchedOf(guild.people[0] ?? person);
    await watchAfter(61);
    expect(calls(log)).to.equal(3);
    await watchAfter(61);
    await eventually(() => isOfficer(person), 'the role');
    const now = await watchedOf(guild.people[0] ?? person);
    expect(now.seenAt?.getTime()).to.be.greaterThan(before.seenAt?.getTime() ?? 0);
    expect((await group()).logUpTo?.getTime()).to.be.greaterThan(0);
    await allPaid(guild);
  });

  it('The watch finds a line again when the process was killed before it noted how far it has read', async () => {
    const person = anyone();
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    letPass(61);
    const before = await group();
    const calls = { totalMs: 60_000, attempts: 1, signal: never };
    const context = { logs: calls, members: calls, paced: async () => {}, everyMs: 60_000 };
    // The poll in a process that ends before its last write, and has read nobody.
    roblox.inject({ match: /memberships/, status: 503 });
    await pollLog(before, { ...context, interests: await readInterests() });
    roblox.clearFaults();
    await WatchedGroups.updateOne({ _id: guild.groupId }, { $set: { logUpTo: before.logUpTo ?? urgentAt } });
    await WatchedAccounts.updateOne({ _id: person.gameUserId }, { $set: { dueAt: new Date(Date.now() + 1e9) } });
    await watchAfter(61);
    await eventually(() => isOfficer(person), 'the role');
    await allPaid(guild);
  });

  // RANK-16
  it('The log makes the watch read fifty people immediately, and leaves the others to their guild’s batch', async () => {
    await watchAfter(61);
    const many = guild.people.slice(-60);
    for (const { gameUserId } of many) roblox.setRank(guild.groupId, gameUserId, 100);
    roblox.forgetRequests();
    letPass(11);
    expect(await newWatch().poll()).to.equal(0);
    await forgetPending();
    expect(await WatchedAccounts.countDocuments({ dueAt: urgentAt })).to.equal(10);
  });

  // RANK-20
  it('A hidden log is not asked for a day, and the watch uses the counts', async () => {
    roblox.showGroupLog(guild.groupId, false);
    await seesPromotion();
    expect((await group()).logUpTo).to.equal(undefined);
    expect(calls(log)).to.equal(1);
    await watchAfter(3_600);
    expect(calls(log)).to.equal(1);
    roblox.showGroupLog(guild.groupId);
    await watchAfter(24 * 3_600);
    expect(calls(log)).to.equal(2);
    expect((await group()).logUpTo).to.be.a('date');
  });
});

describe('The rank watch by the log of a group with few people', () => {
  withPromptSyncs();
  let roblox: World['roblox'];
  let guild: ResyncGuild;
  let restore: () => void;
  before(async () => {
    ({ roblox } = await world());
    restore = reconfigureRoblox();
    await beginAlone();
    guild = await buildResyncGuild({ count: 3 });
    roblox.showGroupLog(guild.groupId);
    await beginWatch(guild);
    await watchAfter(61);
  });
  after(() => restore());
  beforeEach(async () => {
    letPass(0);
    await WatchedAccounts.updateMany({}, { $set: { dueAt: new Date(Date.now() + 1e9) } });
    roblox.forgetRequests();
  });
  const counts = () => countGroupsOf(guild.guildId);
  const asked = () => roblox.requests.map(({ path }) => path.split('/').at(-1));

  it('The log of a group with few people gives the role of a promotion within seconds too', async () => {
    expect(await WatchedGroups.findById(guild.groupId).lean()).to.deep.include({ counted: false, roles: [] });
    expect(await counts()).to.deep.equal({ log: 1, counts: 0, people: 0 });
    const [person] = guild.people;
    if (person === undefined) expect.fail('nobody');
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(11);
    await eventually(async () => (await rolesOf(guild, person))?.includes(guild.officerRole), 'the role');
    await allPaid(guild);
    await watchAfter(61);
    await watchAfter(61);
    roblox.forgetRequests();
    await watchAfter(11);
    expect(asked()).to.deep.equal(['audit-log']);
  });

  // RANK-22
  it('The log of a group with few people leaves its calls to others when calls are scarce: people are read instead', async () => {
    letPass(61);
    expect(await new RankWatch(never, 0.01).poll()).to.equal(0);
    expect(asked()).to.deep.equal([]);
    expect(await counts()).to.deep.equal({ log: 0, counts: 0, people: 1 });
  });
});
