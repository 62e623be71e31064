import { expect } from 'chai';
import { trusted } from 'mongoose';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import {
  automaticEveryHours,
  enqueueRegularReconciliations,
} from '../../../src/features/sync/resync/resync-schedule.js';
import { skipReconciliations } from '../../support/build.js';
import { caughtUp } from './reconciliation-setup.js';
import { buildResyncGuild, type ResyncGuild, resyncEntries, resyncIn, rolesOf } from './resync-setup.js';
import { setSettings } from './sync-setup.js';

const hourMs = 60 * 60_000;
const never = new AbortController().signal;

/** A guild that the bot joined `hours` ago, with one member to change. */
async function buildOld(hours: number, change: object = {}): Promise<ResyncGuild> {
  const guild = await buildResyncGuild({ count: 1, inStep: 0 });
  const joinedAt = new Date(Date.now() - hours * hourMs);
  await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { joinedAt, ...change } });
  return guild;
}

/** The guilds among these with a pending reconciliation after a check. */
async function dueAmong(guilds: ResyncGuild[], now = new Date()): Promise<ResyncGuild[]> {
  await enqueueRegularReconciliations(now, never);
  const owed = new Set((await GuildRecord.find({ catchUpAt: trusted({ $exists: true }) })).map(({ _id }) => _id));
  await skipReconciliations();
  return guilds.filter(({ guildId }) => owed.has(guildId));
}

describe('Automatic resyncs', () => {
  it('An automatic resync runs as often as the plan allows, less often by the settings, and at least daily', () => {
    const resync = (everyHours: number | null, automatic = true) => ({
      ...defaultSettings,
      resync: { automatic, everyHours },
    });
    expect(automaticEveryHours({ plan: 'free' }, resync(1))).to.equal(24);
    expect(automaticEveryHours({ plan: 'pro' }, resync(null))).to.equal(6);
    expect(automaticEveryHours({ plan: 'pro' }, resync(1))).to.equal(6);
    expect(automaticEveryHours({ plan: 'pro' }, resync(12))).to.equal(12);
    expect(automaticEveryHours({ plan: 'pro' }, resync(100))).to.equal(24);
    expect(automaticEveryHours({ plan: 'enterprise' }, resync(null))).to.equal(1);
    expect(automaticEveryHours({ plan: 'enterprise' }, resync(null, false))).to.equal(24);
  });

  it('An automatic resync starts when it is due, and not again before the next time', async () => {
    const guild = await buildOld(2);
    await enqueueRegularReconciliations(new Date(), never);
    const { job } = await caughtUp(guild);
    expect(job).to.deep.include({ memberIds: null, fixedPlan: false });
    expect(await resyncIn(guild, job._id, 'completed')).to.include({ changed: 1 });
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([guild.memberRole]);
    const entries = await resyncEntries(guild.guildId);
    expect(entries.map(({ action, actor }) => [action, actor.id])).to.deep.equal([
      ['resync.started', 'catch-up'],
      ['resync.completed', 'catch-up'],
    ]);
    expect(await dueAmong([guild], new Date(Date.now() + 0.9 * hourMs))).to.deep.equal([]);
    expect(await dueAmong([guild], new Date(Date.now() + 1.1 * hourMs))).to.deep.equal([guild]);
  });

  it('A reconciliation is enqueued for every guild once a day, except suspended ones and those with a later one', async () => {
    const free = await buildOld(25, { plan: 'free' });
    const off = await buildOld(25);
    await setSettings(off, { resync: { automatic: false, everyHours: null } });
    const waiting = [
      await buildOld(23, { plan: 'free' }),
      await buildOld(5, { plan: 'pro' }),
      await buildOld(200, { state: 'suspended' }),
      await buildOld(23),
      await buildOld(5),
    ];
    if (waiting[3]) await setSettings(waiting[3], { resync: { automatic: false, everyHours: null } });
    if (waiting[4]) await setSettings(waiting[4], { resync: { automatic: true, everyHours: 6 } });
    expect(await dueAmong([free, off, ...waiting])).to.deep.equal([free, off]);
  });
});
