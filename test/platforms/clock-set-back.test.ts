import { randomUUID } from 'node:crypto';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { clock } from '../../src/lib/clock.js';
import { dayMs, hourMs } from '../../src/lib/time.js';
import { withLease } from '../../src/platforms/database/lease.js';
import { buildGuild, eventually } from '../support/build.js';
import { type LoggedLine, onLogLine } from '../support/logged-lines.js';

// ENV-33
describe('A clock that is set back', () => {
  /** Sets the wall clock back by an hour, for code that compares it with the monotonic clock. */
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

  it('A clock set back stops no limit of Discord’s and no rate-limited caller, and is logged', async () => {
    const guild = await buildGuild();
    await guild.api.get(`${guild.path}/team`);
    const { rest } = container.client;
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
    expect(await counters.countDocuments({ key: 'set-back:living' })).to.equal(1);
    expect(Reflect.get(limit, 'reset')).to.be.below(Date.now() + hourMs / 2);
  });
});
