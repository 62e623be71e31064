import { randomUUID } from 'node:crypto';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { clock } from '../../src/lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../src/lib/time.js';
import { withLease } from '../../src/platforms/database/lease.js';
import { WAKE_UPS } from '../../src/platforms/jobs/wake-up-store.js';
import { buildGuild, eventually } from '../support/build.js';
import { type LoggedLine, onLogLine } from '../support/logged-lines.js';

// ENV-33
describe('A clock that is set back', () => {
  /** Sets the time of day back by an hour, for code that compares it with the monotonic clock. */
  const setBack = () => clock.advance(hourMs);
  const collection = <T extends object>(name: string) => mongoose.connection.collection<T & { _id: string }>(name);
  const inADay = () => new Date(Date.now() + dayMs);

  it('A lease that was given back can be taken although the clock was set back since', async () => {
    const key = `set-back:${randomUUID()}`;
    await collection<{ owner: string }>('leases').insertOne({
      _id: key,
      owner: '',
      until: inADay(),
      fence: 7,
    } as never);
    expect(await withLease(key, async ({ fence }) => fence > 7, { waitMs: 2_000 })).to.equal(true);
  });

  it('A clock set back stops no standing job, no limit of Discord’s and no rate-limited caller, and is logged', async () => {
    const guild = await buildGuild();
    await guild.api.get(`${guild.path}/team`);
    const { rest } = container.client;
    const jobs = mongoose.connection.collection(WAKE_UPS);
    const job = { name: 'standing' };
    const interval = 10 * minuteMs;
    const standing = { type: 'single', repeatInterval: interval };
    await jobs.insertOne({ ...job, ...standing, nextRunAt: inADay(), lockedAt: null });
    await jobs.insertOne({ name: 'log-mapped-roles', ...standing, nextRunAt: inADay(), lockedAt: inADay() });
    const counters = mongoose.connection.collection('rate_limits');
    const counted = (name: string, expire: Date) => counters.insertOne({ key: `set-back:${name}`, points: 9, expire });
    await counted('stale', inADay());
    await counted('living', new Date(Date.now() + hourMs / 2));
    const limit = [...rest.handlers.values()].find((handler) => Reflect.get(handler, 'reset') > 0) ?? {};
    Object.assign(limit, { reset: Date.now() + hourMs });

    const lines: LoggedLine[] = [];
    const stop = onLogLine((line) => lines.push(JSON.parse(line)));
    setBack();
    const isTold = ({ msg }: LoggedLine) => msg === 'clock was set back';
    const told = await eventually(() => lines.find(isTold), 'the line in the log').finally(stop);
    // Time that an earlier test let pass may be in it too.
    expect(told.setBackMs).to.be.at.least(hourMs - 500);
    await eventually(async () => (await counters.countDocuments({ key: 'set-back:stale' })) === 0, 'the counter');
    await eventually(async () => {
      const nextRunAt = (await jobs.findOne(job))?.nextRunAt;
      return nextRunAt !== undefined && nextRunAt <= new Date(Date.now() + interval);
    }, 'the standing job');
    await eventually(async () => (await jobs.countDocuments({ lockedAt: { $gt: new Date() } })) === 0, 'the lock');
    await jobs.deleteMany({ repeatInterval: interval });
    expect(await counters.countDocuments({ key: 'set-back:living' })).to.equal(1);
    expect(Reflect.get(limit, 'reset')).to.be.below(Date.now() + hourMs / 2);
  });
});
