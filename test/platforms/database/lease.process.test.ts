import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { AppError, Conflict } from '../../../src/lib/errors.js';
import { type Lease, withLease } from '../../../src/platforms/database/lease.js';
import { purgeLeases } from '../../../src/platforms/database/lease-store.js';
import { eventually } from '../../support/build.js';
import { startChild } from '../../support/child-process.js';
import { connectTestDatabase } from '../../support/test-database.js';
import { incrementUnderLease } from './increment.js';

const suspend = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('Leases', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let key: string;
  before(async () => {
    database = await connectTestDatabase();
  });
  beforeEach(() => {
    key = `lease-test:${randomUUID()}`;
  });
  after(() => database.close());

  const leases = () => mongoose.connection.collection<{ _id: string; owner: string; until: Date }>('leases');
  const takeOver = () =>
    leases().updateOne({ _id: key }, { $set: { owner: 'other', until: new Date(Date.now() + 60_000) } });
  const startHolder = (task: string, amount: number) =>
    startChild('platforms/database/lease-child.js', database.uri, database.dbName, task, key, String(amount));

  it('A lease keeps the work of two processes apart', async () => {
    const child = startHolder('increment', 100);
    await Promise.all([incrementUnderLease(key, 100), child.report('done')]);
    const counters = mongoose.connection.collection<{ _id: string; value: number }>('counters');
    expect(await counters.findOneAndDelete({ _id: key })).to.include({ value: 200 });
  });

  it('A lease gives callers of one process their turns in their order, with rising fences', async () => {
    const turns: number[] = [];
    const take = (turn: number) =>
      withLease(key, async ({ fence }) => {
        turns.push(turn);
        return fence;
      });
    const fences = await Promise.all(Array.from({ length: 50 }, (_, turn) => take(turn)));
    expect(turns).to.deep.equal([...turns.keys()]);
    expect(fences.every((fence, turn) => turn === 0 || fence > (fences[turn - 1] ?? 0))).to.equal(true);
  });

  it('A lease is taken over from a killed process when it has run out, not before', async () => {
    const child = startHolder('hold', 1_000);
    const fenceBefore = Number(await child.report('held'));
    const until = async () => Number((await leases().findOne({ _id: key }))?.until);
    const first = await until();
    await eventually(async () => (await until()) >= first + 1_000, 'renewals for longer than it was asked for');
    expect(await withLease(key, async () => 'taken', { waitMs: 50 }).catch((error) => error.code)).to.equal('busy');
    await child.kill();
    const left = await leases().findOne({ _id: key });
    const fence = await withLease(key, async (lease) => lease.fence, { waitMs: 30_000 });
    expect(Date.now()).to.be.at.least(Number(left?.until));
    expect(fence).to.be.greaterThan(fenceBefore);
  });

  it('A caller that has waited long enough for a lease is refused as busy, also behind callers of its own process', async () => {
    let isHeld = true;
    const held = withLease(key, () => delay(400)).finally(() => {
      isHeld = false;
    });
    const startedAt = performance.now();
    const error = await withLease(key, async () => 'worked', { waitMs: 100 }).catch((reason) => reason);
    expect(error).to.be.instanceOf(AppError).and.to.include({ kind: 'conflict', code: 'busy' });
    expect(performance.now() - startedAt).to.be.greaterThan(90);
    expect(isHeld).to.equal(true);
    await held;
    // The one that gave up has left nothing behind.
    expect(await withLease(key, async () => 'free')).to.equal('free');
  });

  it('A lease is given back when the work throws', async () => {
    const failing = withLease(key, () => Promise.reject(new Error('no luck')));
    expect(await failing.catch((error) => error.message)).to.equal('no luck');
    expect(await withLease(key, async () => 'free')).to.equal('free');
  });

  it('A lost lease notifies the work, and leaves the new holder alone', async () => {
    const reason = await withLease(
      key,
      async ({ signal }) => {
        expect(signal.aborted).to.equal(false);
        await takeOver();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return signal.reason.code;
      },
      { holdMs: 300 },
    );
    expect(reason).to.equal('lease_lost');
    expect(await leases().findOne({ _id: key })).to.include({ owner: 'other' });
  });

  it('A lease counts as lost when the process was suspended for longer than the lease is held', async () => {
    const work = async ({ signal }: Lease) => {
      suspend(400);
      await delay(1);
      return signal.aborted;
    };
    expect(await withLease(key, work, { holdMs: 300 })).to.equal(true);
    expect(await withLease(key, work, { holdMs: 3_000 })).to.equal(false);
  });

  it('requireHeld refuses a lease that has run out, before any timer, and one that was given back', async () => {
    const lease = await withLease(key, async (held) => {
      held.requireHeld();
      return held;
    });
    expect(() => lease.requireHeld())
      .to.throw(Conflict)
      .with.property('code', 'lease_lost');
    await withLease(
      key,
      async (held) => {
        suspend(400);
        expect(held.signal.aborted).to.equal(false);
        expect(() => held.requireHeld())
          .to.throw(Conflict)
          .with.property('code', 'lease_lost');
      },
      { holdMs: 300 },
    );
  });

  it('A lease is deleted an hour after its last use, and its fence goes on rising', async () => {
    const first = await withLease(key, async ({ fence }) => fence);
    await purgeLeases(new Date(Date.now() + 59 * 60_000));
    expect(await leases().countDocuments({ _id: key })).to.equal(1);
    await leases().updateOne({ _id: key }, { $set: { until: new Date(Date.now() - 61 * 60_000) } });
    expect(await purgeLeases(new Date())).to.be.greaterThan(0);
    expect(await leases().countDocuments({ _id: key })).to.equal(0);
    expect(await withLease(key, async ({ fence }) => fence)).to.be.greaterThan(first);
  });
});
