import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { trusted } from 'mongoose';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { leaveGuild } from '../../../src/core/guilds/guild-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { claimDueSync, claimMs, completeSync, pendingSync } from '../../../src/features/members/pending-syncs.js';
import {
  pollDueSyncs,
  runDueSyncs,
  stopBackgroundSyncs,
  syncSoon,
} from '../../../src/features/sync/member/background-syncs.js';
import { postponeSync } from '../../../src/features/sync/member/sync-retries.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { runDue, withPromptSyncs } from '../../support/background.js';
import { eventually, forgetPending, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  pendingSyncOf,
  refusal,
  retryNow,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-3, SYNC-4
describe('Pending syncs', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleIds: string[];
  const member = () => getMember(guild.guildId, person.chatUserId);
  const owe = (dueAt: Date, { chatUserId } = person) =>
    Members.update(
      { guildId: guild.guildId, chatUserId },
      { $set: { owedSync: { ...pendingSync('link').owedSync, dueAt } } },
    );
  /** A time at which only a test claims due work: the service’s own job polls every five seconds. */
  const inAnHour = () => new Date(Date.now() + hourMs);

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    await forgetPending();
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    roleIds = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild, { linked: false });
  });
  afterEach(() => {
    discord.clearFaults();
  });

  it('A pending sync is stored with the link, done by the job if no other caller does it, and then gone', async () => {
    await linkPerson(guild.guildId, person);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification', attempts: 0 });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    await Members.update(
      { guildId: guild.guildId, chatUserId: person.chatUserId },
      { $set: { 'owedSync.dueAt': new Date() } },
    );
    await runDue();
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
    expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'verification', added: roleIds });
  });

  // SYNC-5
  it('A pending sync waits for the bot to connect after a start, and is not reported as failed', async () => {
    await linkPerson(guild.guildId, person);
    const { client } = container;
    const { id } = client;
    client.id = null;
    try {
      await owe(new Date(0));
      await pollDueSyncs(new AbortController().signal);
      syncSoon({ guildId: guild.guildId, chatUserId: person.chatUserId }, 'link');
      await stopBackgroundSyncs();
      expect(await pendingSyncOf(guild, person)).to.include({ attempts: 0 });
    } finally {
      client.id = id;
    }
    await eventually(async () => {
      await pollDueSyncs(new AbortController().signal);
      return (await pendingSyncOf(guild, person)) === undefined;
    }, 'the payment');
    expect((await lastSyncOf(guild, person))?.trigger).to.equal('link');
  });

  it('A pending sync is left alone until it is due', async () => {
    clock.freeze(new Date());
    await linkPerson(guild.guildId, person);
    await runDueSyncs(new AbortController().signal);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification' });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  // SYNC-38
  it('A server’s due sync runs in seconds although another server’s due syncs are slow', async () => {
    const slow = await buildGroupGuild();
    await withoutNicknames(slow);
    await mapTo(slow, { type: 'verified' });
    const people = [];
    for (let n = 0; n < 3; n += 1) people.push(await buildSettledMember(slow, { linked: false }));
    const dueNow = (ids: readonly string[], guildId: string) =>
      Members.acrossGuilds.updateMany(
        { guildId, chatUserId: trusted({ $in: [...ids] }) },
        { $set: { owedSync: { ...pendingSync('link').owedSync, dueAt: new Date(0) } } },
      );
    const held = discord.hold({ match: new RegExp(`/guilds/${slow.guildId}/members/`) });
    await dueNow(
      people.map(({ chatUserId }) => chatUserId),
      slow.guildId,
    );
    const running = runDueSyncs(new AbortController().signal);
    try {
      await held.reached;
      await owe(new Date(0));
      await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the other server’s sync');
    } finally {
      held.letGo();
      await running;
    }
  });

  it('A pending sync is completed only by a sync that began after it was enqueued', async () => {
    await owe(new Date(Date.now() + 60_000));
    const before = await member();
    await owe(new Date(Date.now() + 60_000));
    await completeSync(before, Date.now());
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'link' });
    await completeSync(await member(), Date.now());
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A pending sync is postponed by 10 s, doubled with each failure up to an hour, daily after a day, and never dropped', async () => {
    clock.freeze(new Date());
    const waits: number[] = [];
    while (waits.length < 40) {
      expect(await postponeSync(guild.guildId, person.chatUserId, 'api')).to.equal(true);
      const dueAt = (await pendingSyncOf(guild, person))?.dueAt ?? new Date(0);
      waits.push((dueAt.getTime() - clock.epochMs()) / 1000);
      // Not due yet: the service’s own job would take it.
      clock.freeze(new Date(dueAt.getTime() - 1));
    }
    expect(waits.slice(0, 11)).to.deep.equal([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    const hours = waits.slice(0, 31).reduce((sum, wait) => sum + wait, 0) / 3600;
    expect(hours).to.be.within(23, 25);
    expect(waits.slice(31)).to.deep.equal(Array.from({ length: 9 }, () => 24 * 3600));
  });

  it('Pending syncs are claimed guild by guild in turn, however many are due in one', async () => {
    const others = [await buildGroupGuild(), await buildGroupGuild()];
    const people = await Promise.all(others.map((other) => buildSettledMember(other, { linked: false })));
    const fourth = await buildSettledMember(guild, { linked: false });
    const due = inAnHour();
    const all = [person, fourth, ...people].map(({ chatUserId }) => chatUserId);
    await Members.acrossGuilds.updateMany(
      { chatUserId: trusted({ $in: all }) },
      { $set: { owedSync: { ...pendingSync('link').owedSync, dueAt: due } } },
    );
    clock.freeze(due);
    const taken: string[] = [];
    while (taken.length < 4) taken.push((await claimDueSync())?.guildId ?? '');
    expect(new Set(taken.slice(0, 3)).size).to.equal(3);
    expect(taken.filter((id) => id === guild.guildId)).to.have.length(2);
  });

  it('A pending sync waits for its time when Discord has failed, and not longer', async () => {
    await linkPerson(guild.guildId, person);
    discord.inject({ match: /^PUT .*\/roles\//, status: 500 });
    await refusal(sync(guild, person));
    discord.clearFaults();
    await runDueSyncs(new AbortController().signal);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    clock.advance(10_000);
    await runDueSyncs(new AbortController().signal);
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the payment');
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('A pending sync is not claimed twice within a minute, also by simultaneous polls', async () => {
    const due = inAnHour();
    await owe(due);
    clock.freeze(due);
    const taken = await Promise.all(Array.from({ length: 10 }, () => claimDueSync()));
    const mine = taken.filter((member) => member?.chatUserId === person.chatUserId);
    expect(mine).to.have.length(1);
    expect((await pendingSyncOf(guild, person))?.dueAt).to.deep.equal(new Date(due.getTime() + claimMs));
  });

  it('A pending sync rests while the guild is suspended, without counting as a failure', async () => {
    await linkPerson(guild.guildId, person);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification', attempts: 0 });
    expect((await pendingSyncOf(guild, person))?.dueAt.getTime()).to.be.greaterThan(Date.now() + 50 * 60_000);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'active' } });
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  // SYNC-57
  it('A pending sync rests in a guild that the bot has left, and is not dropped', async () => {
    await linkPerson(guild.guildId, person);
    await leaveGuild(guild.guildId);
    await retryNow(guild, person);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification', attempts: 0 });
    expect((await pendingSyncOf(guild, person))?.dueAt.getTime()).to.be.greaterThan(Date.now() + 50 * 60_000);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A sync that fails by a fault of our own stays pending, with the reason noted, and delays no other sync', async () => {
    await linkPerson(guild.guildId, person);
    const other = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, other);
    await mapTo(guild, { type: 'group_member', groupId: guild.groupId });
    // The service’s own job may have completed both in the meantime.
    await owe(inAnHour());
    // A Roblox id that none of our versions would have stored.
    await Members.update({ guildId: guild.guildId, chatUserId: person.chatUserId }, { $set: { gameUserId: 'x' } });
    await owe(new Date(1), other);
    await retryNow(guild, person);
    expect(await pendingSyncOf(guild, person)).to.include({ attempts: 1 });
    expect(await lastSyncOf(guild, person)).to.include({ error: 'internal_error' });
    await eventually(async () => (await pendingSyncOf(guild, other)) === undefined, 'the other');
    expect(await rolesOf(guild, other)).to.deep.equal(roleIds);
  });
});
