import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { z } from 'zod';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../../src/lib/time.js';
import { jobsRunning, startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { defineJob } from '../../../src/platforms/jobs/define-job.js';
import { every } from '../../../src/platforms/jobs/wake.js';
import { dueBetween, WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

let work: () => Promise<void>;
let runs: number;
const repeating = defineJob({
  name: 'test-repeating',
  data: z.strictObject({}),
  concurrency: 1,
  run: async () => {
    runs += 1;
    await work();
  },
});

const { name } = repeating;
const wakeUps = () =>
  mongoose.connection.collection<{ name: string; lockedAt: Date | null; nextRunAt: Date }>(WAKE_UPS);
const stored = () => wakeUps().find({ name }).toArray();

describe('Repeating jobs', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let wereRunning: boolean;
  before(async () => {
    database = await connectTestDatabase();
    wereRunning = jobsRunning();
    await stopJobs();
  });
  beforeEach(() => {
    runs = 0;
    work = async () => {};
  });
  afterEach(async () => {
    await stopJobs(100);
    await wakeUps().deleteMany({ name });
  });
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  /** Makes the job due now and then once a day. @returns the function that ends its first run, once that has begun. */
  async function beginRun(): Promise<() => void> {
    let finish = () => {};
    work = () => new Promise((resolve) => (finish = resolve));
    await every(repeating, 0);
    await every(repeating, dayMs);
    await startJobs();
    await eventually(() => runs === 1, 'the run');
    return finish;
  }
  /** @returns when it runs next, once its run has ended. */
  const nextRun = () =>
    eventually(async () => {
      const [wakeUp] = await stored();
      return wakeUp?.lockedAt === null ? wakeUp.nextRunAt.getTime() : undefined;
    }, 'the end of the run');

  it('A repeating job is stored once however often it is set, in the interval set last', async () => {
    await Promise.all(Array.from({ length: 5 }, () => every(repeating, hourMs)));
    await every(repeating, 100);
    expect(await stored()).to.have.lengthOf(1);
    const startedAt = performance.now();
    await startJobs();
    await eventually(() => runs >= 3, 'three runs');
    expect(await stored()).to.have.lengthOf(1);
    expect(runs).to.be.at.most((performance.now() - startedAt) / 100 + 1);
  });

  it('A repeating job is due when the lock of a killed process has run out, not only at its next time', async () => {
    const finish = await beginRun();
    const longAgo = { $set: { lockedAt: new Date(Date.now() - 2 * minuteMs) } };
    await wakeUps().updateOne({ name, lockedAt: { $ne: null } }, longAgo);
    const due = await dueBetween(new Date(), new Date());
    expect(due.filter((one) => one.name === name)).to.have.lengthOf(1);
    finish();
    expect(await nextRun()).to.be.greaterThan(Date.now() + 23 * hourMs);
  });

  it('A start makes a repeating job due although a clock that was ahead has locked it at a time to come', async () => {
    await every(repeating, dayMs);
    const ahead = new Date(Date.now() + hourMs);
    await wakeUps().updateOne({ name }, { $set: { lockedAt: ahead, nextRunAt: ahead } });
    await startJobs();
    const [wakeUp] = await stored();
    expect(wakeUp?.lockedAt).to.be.at.most(new Date());
    expect(wakeUp?.nextRunAt).to.be.at.most(new Date());
  });

  it('A repeating job is due within its interval although the clock was set back while it ran', async () => {
    const finish = await beginRun();
    const twoDaysAgo = Date.now() - 2 * dayMs;
    sinon.stub(clock, 'machineTime').callsFake((at = new Date(twoDaysAgo)) => at);
    try {
      finish();
      expect(await nextRun()).to.equal(twoDaysAgo + dayMs);
    } finally {
      sinon.restore();
    }
  });
});
