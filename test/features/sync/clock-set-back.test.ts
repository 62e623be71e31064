import { expect } from 'chai';
import { Members } from '../../../src/features/members/member-model.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { claimDueGroup } from '../../../src/features/rank-watch/group-poll.js';
import { WatchedAccounts, WatchedGroups } from '../../../src/features/rank-watch/watched-models.js';
import { runDueSyncs } from '../../../src/features/sync/member/background-syncs.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, resync, rolesOf } from './resync-setup.js';
import { buildGroupGuild, buildSettledMember, mapTo, pendingSyncOf, rolesOf as rolesIn, sync } from './sync-setup.js';
import { beginAlone, beginWatch, watchAfter, watchedOf } from './watch-setup.js';

const { signal } = new AbortController();
const ahead = 2 * hourMs;

// SYNC-41
describe('After a clock was set back', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
  });
  afterEach(() => clock.restore());

  it('A sync that is pending further ahead than its longest wait is made at the next poll', async () => {
    const guild = await buildGroupGuild();
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild);
    const { guildId } = guild;
    const { chatUserId } = person;
    await runDueSyncs(signal);
    discord.setMemberRoles(guildId, chatUserId, []);
    clock.jump(ahead);
    await Members.update({ guildId, chatUserId }, { $set: pendingSync('account') });
    await runDueSyncs(signal);
    expect(await rolesIn(guild, person)).to.deep.equal([]);
    clock.jump(-ahead);
    await runDueSyncs(signal);
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the sync');
    expect(await rolesIn(guild, person)).to.deep.equal([roleId]);
  });

  it('A sync that failed for a day and is pending for tomorrow keeps its wait, and a due time within its longest wait too', async () => {
    const guild = await buildGroupGuild();
    const person = await buildSettledMember(guild);
    const { guildId } = guild;
    const { chatUserId } = person;
    for (const [attempts, waitMs] of [
      [40, dayMs - minuteMs],
      [0, hourMs - minuteMs],
    ] as const) {
      const dueAt = new Date(clock.epochMs() + waitMs);
      await Members.update(
        { guildId, chatUserId },
        { $set: { owedSync: { ...pendingSync('link').owedSync, attempts, dueAt } } },
      );
      await mendDueTimes();
      expect((await pendingSyncOf(guild, person))?.dueAt).to.deep.equal(dueAt);
    }
  });

  it('A group whose poll lies further ahead than any wait is polled next', async () => {
    await WatchedGroups.create({ _id: '77', counted: false, roles: [], dueAt: new Date(clock.epochMs() + 2 * dayMs) });
    await mendDueTimes();
    const taken = await eventually(() => claimDueGroup(), 'the group');
    expect(taken?._id).to.equal('77');
    await WatchedGroups.deleteOne({ _id: '77' });
  });

  // SYNC-40
  it('A resync still changes a member whose last sync was made while the clock was ahead', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    const [first = expect.fail()] = guild.people;
    clock.jump(ahead);
    await sync(guild, first);
    clock.jump(-ahead);
    discord.setMemberRoles(guild.guildId, first.chatUserId, []);
    expect(await resync(guild)).to.include({ changed: 1 });
    expect(await rolesOf(guild, first)).to.deep.equal([guild.memberRole]);
  });

  it('The watch stores a reading made while the clock was ahead, and reads the account once', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const [somebody = expect.fail()] = guild.people;
    await resync(guild);
    await beginWatch(guild);
    const seenAt = new Date(clock.epochMs() + ahead);
    await WatchedAccounts.updateOne({ _id: somebody.gameUserId }, { $set: { seenAt, dueAt: new Date(0) } });
    roblox.setRank(guild.groupId, somebody.gameUserId, 100);
    await watchAfter(61);
    const watched = await watchedOf(somebody);
    expect(watched.seenAt?.getTime()).to.be.lessThan(seenAt.getTime());
    expect(watched.dueAt.getTime()).to.be.greaterThan(clock.epochMs());
    await eventually(async () => (await rolesOf(guild, somebody))?.includes(guild.officerRole), 'the role');
  });
});
