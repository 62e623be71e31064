import { MongoJobRepository } from '@agendajs/mongo-backend';
import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs } from '../../../src/lib/time.js';
import { renewSchedule, startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { jobsRunning } from '../../../src/platforms/jobs/runs.js';
import { standing } from '../../../src/platforms/jobs/standing.js';
import { claimEveryMs, STANDING_WORK } from '../../../src/platforms/jobs/standing-claims.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

let runs: number;
const work = standing({
  ...{ name: 'test-agenda', everyMs: dayMs, atStart: false },
  run: async () => {
    runs += 1;
  },
});
const start = () => startJobs((job) => job === work);

interface StoredJob {
  name: string;
  nextRunAt: Date;
  lockedAt: Date | null;
}

describe('Agenda', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let wereRunning: boolean;
  const jobs = () => mongoose.connection.collection<StoredJob>('agendaJobs');
  const claims = () => mongoose.connection.collection<{ _id: string }>(STANDING_WORK);
  /** Makes the work due, and Agenda's job with it. */
  async function makeDue(job: Partial<StoredJob> = {}): Promise<void> {
    const due = { [`due.${work.name}`]: new Date(clock.epochMs() - hourMs) };
    await claims().updateOne(
      { _id: 'all' },
      { $set: { at: clock.now(), ...due }, $inc: { claims: 1 } },
      { upsert: true },
    );
    await jobs().updateOne({}, { $set: { nextRunAt: new Date(), ...job } });
  }
  /**
   * Waits for the run. A service in this process plans Agenda's run anew up to 5 s after an earlier test let time pass,
   * which it takes for a clock that was set back: the job is then due again.
   */
  const untilRun = (withinMs: number) =>
    eventually(
      async () => {
        await jobs().updateOne({ lockedAt: null, nextRunAt: { $gt: new Date() } }, { $set: { nextRunAt: new Date() } });
        return runs >= 1;
      },
      'the run',
      withinMs,
    );
  before(async () => {
    database = await connectTestDatabase();
    wereRunning = jobsRunning();
    await stopJobs();
  });
  beforeEach(async () => {
    runs = 0;
    await jobs().deleteMany({});
  });
  afterEach(async () => {
    sinon.restore();
    await stopJobs(1_000);
    await jobs().deleteMany({});
    await claims().deleteMany({});
  });
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  it('All work is one job of Agenda with one document, which several starts share', async () => {
    await start();
    await stopJobs();
    await start();
    const stored = await jobs().find().toArray();
    expect(stored.map(({ name }) => name)).to.deep.equal(['standing']);
    expect(stored[0]?.nextRunAt.getTime()).to.be.within(Date.now() + claimEveryMs / 2, Date.now() + claimEveryMs);
  });

  it('A start without standing work leaves Agenda alone', async () => {
    await startJobs();
    expect([jobsRunning(), await jobs().countDocuments({})]).to.deep.equal([true, 0]);
  });

  it('Agenda begins the work that is due, and comes again after its interval', async () => {
    await start();
    await makeDue();
    await untilRun(30_000);
    const isPlanned = async () => ((await jobs().findOne({ lockedAt: null }))?.nextRunAt.getTime() ?? 0) > Date.now();
    await eventually(isPlanned, 'the next time');
  });

  it('A claim whose lock a jump of the clock has ended is made again', async () => {
    const claim = sinon.stub(MongoJobRepository.prototype, 'getNextJobToRun');
    claim.callsFake(async function (this: MongoJobRepository, ...query) {
      const claimed = await claim.wrappedMethod.apply(this, query);
      if (claimed === undefined) return undefined;
      claim.restore();
      const lockedAt = new Date(Date.now() - dayMs);
      await jobs().updateOne({}, { $set: { lockedAt } });
      return { ...claimed, lockedAt };
    });
    await start();
    await makeDue();
    await untilRun(50_000);
  });

  it('A start, and a clock that is set back, end times and locks of the time to come', async () => {
    await start();
    const ahead = new Date(Date.now() + dayMs);
    const isMended = async () => {
      const stored = await jobs().findOne({});
      return stored?.lockedAt === null && stored.nextRunAt.getTime() <= Date.now() + claimEveryMs;
    };
    await makeDue({ lockedAt: ahead, nextRunAt: ahead });
    await renewSchedule();
    expect(await isMended()).to.equal(true);
    await stopJobs();
    await jobs().updateOne({}, { $set: { lockedAt: ahead, nextRunAt: ahead } });
    await start();
    expect(await isMended()).to.equal(true);
  });
});
