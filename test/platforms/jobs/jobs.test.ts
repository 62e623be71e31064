import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoJobRepository } from '@agendajs/mongo-backend';
import { expect } from 'chai';
import mongoose, { mongo } from 'mongoose';
import sinon from 'sinon';
import { z } from 'zod';
import { NotFound } from '../../../src/lib/errors.js';
import { currentLogContext, type LogContext, withLogContext } from '../../../src/lib/logger.js';
import { jobsRunning, startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { defineJob, type JobContext, jobStats } from '../../../src/platforms/jobs/define-job.js';
import { wake, wakeAt, wakeUpChannel } from '../../../src/platforms/jobs/wake.js';
import { WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { connectTestDatabase } from '../../support/test-database.js';

/** The work of the jobs, set by each test; `begun` reports every run. */
let work: (id: string, context: JobContext) => Promise<void>;
const begun = new EventEmitter();
let runs: string[];

const define = (name: string, concurrency: number, lockLifetime?: number) =>
  defineJob({
    name: `test-${name}`,
    data: z.strictObject({ id: z.string() }),
    concurrency,
    ...(lockLifetime === undefined ? {} : { lockLifetime }),
    run: async ({ id }, context) => {
      runs.push(id);
      begun.emit(id);
      await work(id, context);
    },
  });
const single = define('single', 1);
const double = define('double', 2);
const shortLock = define('short-lock', 2, 400);

const wakeUps = () =>
  mongoose.connection.collection<{ name: string; lockedAt: Date | null; nextRunAt: Date | null }>(WAKE_UPS);
const stored = (name = /^test-/) => wakeUps().find({ name }).toArray();

/** Waits until no wake-up of these tests is left. */
async function allDone(): Promise<void> {
  while ((await stored()).length > 0) await delay(5);
}

describe('Jobs', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let wereRunning: boolean;
  before(async () => {
    database = await connectTestDatabase();
    wereRunning = jobsRunning();
    await stopJobs();
  });
  beforeEach(() => {
    runs = [];
    work = async () => {};
  });
  afterEach(async () => {
    await stopJobs(100);
    await wakeUps().deleteMany({ name: /^test-/ });
  });
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  describe('Waking', () => {
    it('A wake-up runs its job immediately, with its data, and leaves nothing behind', async () => {
      await startJobs();
      const completed = jobStats()['test-single']?.completed ?? 0;
      const ids = Array.from({ length: 30 }, (_, index) => String(index));
      const startedAt = performance.now();
      for (const id of ids) {
        const start = once(begun, id);
        await wake(single, { id });
        await start;
      }
      // A poll comes every five seconds.
      expect(performance.now() - startedAt).to.be.below(25_000);
      await allDone();
      expect(runs).to.deep.equal(ids);
      expect(jobStats()['test-single']).to.deep.equal({ running: 0, completed: completed + ids.length, failed: 0 });
    });

    it('A job claims its wake-up with one command, and asks for no other', async () => {
      await startJobs();
      let claims = 0;
      const note = ({ command }: mongo.CommandStartedEvent) => {
        if (command.findAndModify === WAKE_UPS && command.query?.name === 'test-single') claims += 1;
      };
      const client = mongoose.connection.getClient();
      client.on('commandStarted', note);
      const ofEach: number[] = [];
      for (const id of ['a', 'b', 'c', 'd']) {
        claims = 0;
        await wake(single, { id });
        await allDone();
        await delay(300);
        ofEach.push(claims);
      }
      client.off('commandStarted', note);
      // A poll in between counts noted wake-ups once more.
      expect(Math.min(...ofEach), ofEach.join()).to.equal(1);
    });

    it('A wake-up passes Agenda no time, which Agenda would compare with that of its last round', async () => {
      await startJobs();
      const told: unknown[] = [];
      const stop = wakeUpChannel.subscribe(({ jobName, nextRunAt }) => {
        if (jobName === 'test-single') told.push(nextRunAt);
      });
      await wake(single, { id: 'a' });
      await allDone();
      stop();
      expect(told)
        .to.include(null)
        .and.to.have.lengthOf(told.filter((at) => at === null).length);
    });

    it('A job claims one of its wake-ups at a time', async () => {
      await startJobs();
      let [now, most] = [0, 0];
      const claim = sinon.stub(MongoJobRepository.prototype, 'getNextJobToRun');
      claim.callsFake(async function (this: MongoJobRepository, ...query) {
        if (query[0] !== 'test-double') return claim.wrappedMethod.apply(this, query);
        now += 1;
        most = Math.max(most, now);
        await delay(20);
        return claim.wrappedMethod.apply(this, query).finally(() => {
          now -= 1;
        });
      });
      try {
        await Promise.all(Array.from({ length: 10 }, (_, id) => wake(double, { id: String(id) })));
        await allDone();
      } finally {
        sinon.restore();
      }
      expect(most).to.equal(1);
      expect(runs).to.have.lengthOf(10);
    });

    it('Many wake-ups with the same data make one run, and other data makes another', async () => {
      await Promise.all(Array.from({ length: 50 }, () => wake(single, { id: 'same' })));
      await wake(single, { id: 'same' });
      await wake(single, { id: 'other' });
      expect(await stored()).to.have.lengthOf(2);
      await startJobs();
      await allDone();
      expect(runs.sort()).to.deep.equal(['other', 'same']);
    });

    it('A job runs again when it is woken while it runs', async () => {
      await startJobs();
      let finish = () => {};
      work = () => new Promise((resolve) => (finish = resolve));
      const start = once(begun, 'again');
      await wake(single, { id: 'again' });
      await start;
      await Promise.all([wake(single, { id: 'again' }), wake(single, { id: 'again' })]);
      work = async () => {};
      finish();
      await allDone();
      expect(runs).to.deep.equal(['again', 'again']);
    });

    it('A job that is woken for several times runs at the earliest of them', async () => {
      await startJobs();
      const from = Date.now();
      const due = new Date(from + 1_500);
      const start = once(begun, 'later');
      await wakeAt(single, { id: 'later' }, new Date(from + 60_000));
      await wakeAt(single, { id: 'later' }, due);
      await wakeAt(single, { id: 'later' }, new Date(from + 30_000));
      expect((await stored()).map(({ nextRunAt }) => nextRunAt)).to.deep.equal([due]);
      await start;
      expect(Date.now() - from).to.be.within(1_490, 29_000);
    });

    it('A wake-up with data of another shape than the job’s is refused', async () => {
      const wrong = JSON.parse('{ "id": 7, "name": "Ada" }');
      expect(await wake(single, wrong).catch((error) => error.name)).to.equal('ZodError');
      expect(await stored()).to.deep.equal([]);
    });
  });

  describe('Running', () => {
    it('A job keeps to its concurrency, and takes up the next wake-up as soon as a run has ended', async () => {
      await startJobs();
      let now = 0;
      let most = 0;
      work = async () => {
        now += 1;
        most = Math.max(most, now);
        await delay(5);
        now -= 1;
      };
      await Promise.all(Array.from({ length: 40 }, (_, id) => wake(double, { id: String(id) })));
      const storedAt = performance.now();
      await allDone();
      expect(runs).to.have.lengthOf(40);
      expect(most).to.equal(2);
      // By polls alone, two would be claimed a second.
      expect(performance.now() - storedAt).to.be.below(18_000);
    });

    it('Jobs continue when some fail, count the failures, and do not repeat them', async () => {
      await startJobs();
      const before = { ...jobStats()['test-double'] };
      work = async (id) => {
        if (id === 'throws') throw new Error('no luck');
        if (id === 'gone') throw new NotFound('member_not_found', 'There is no such member.');
      };
      for (const id of ['throws', 'gone', 'works']) await wake(double, { id });
      await allDone();
      expect(runs.sort()).to.deep.equal(['gone', 'throws', 'works']);
      expect(jobStats()['test-double']).to.deep.equal({
        running: 0,
        completed: (before.completed ?? 0) + 2,
        failed: (before.failed ?? 0) + 1,
      });
    });

    it('Jobs log once a minute that the database is away, however often they poll', async () => {
      await Promise.all([wake(single, { id: 'a' }), wake(double, { id: 'b' }), wake(shortLock, { id: 'c' })]);
      const away = sinon
        .stub(mongo.Collection.prototype, 'findOneAndUpdate')
        .rejects(new mongo.MongoNetworkError('cut'));
      const lines = await linesOf(async () => {
        await startJobs();
        await eventually(() => away.callCount > 12, 'the looks', 30_000);
      }).finally(() => away.restore());
      expect(lines.filter(({ msg }) => msg === 'Agenda failed')).to.have.length.at.most(1);
      await allDone();
      expect(runs.sort()).to.deep.equal(['a', 'b', 'c']);
    });

    it('A job drops stored data that is not of its shape, and continues', async () => {
      await wakeUps().insertOne({ name: single.name, lockedAt: null, nextRunAt: new Date() });
      await wake(single, { id: 'fine' });
      await startJobs();
      await allDone();
      expect(runs).to.deep.equal(['fine']);
    });

    it('A job runs once although it takes longer than its lock lives', async () => {
      await startJobs();
      work = (id) => delay(id === 'long' ? 3_000 : 0);
      await wake(shortLock, { id: 'long' });
      await delay(1_500);
      // Its claim would take the one with the earliest expired lock.
      await wake(shortLock, { id: 'later' });
      await allDone();
      expect(runs).to.deep.equal(['long', 'later']);
    });

    it('Each run of a job has a log context of its own, whatever context it was woken in', async () => {
      await startJobs();
      let context: LogContext = {};
      let wakeUp: { _id: unknown } | undefined;
      work = async () => {
        context = currentLogContext();
        [wakeUp] = await stored();
      };
      await withLogContext({ requestId: 'of the waker' }, () => wake(single, { id: 'logged' }));
      await allDone();
      expect(context).to.deep.equal({ jobId: String(wakeUp?._id) });
    });
  });

  describe('Stopping and starting', () => {
    it('A stop lets running jobs finish and begins no new ones, and the next start continues immediately', async () => {
      await startJobs();
      let finish = () => {};
      work = () => new Promise((resolve) => (finish = resolve));
      const start = once(begun, 'running');
      await wake(single, { id: 'running' });
      await start;
      await wake(single, { id: 'waiting' });
      const stopped = stopJobs();
      finish();
      await stopped;
      expect(jobStats()['test-single']?.running).to.equal(0);
      expect(runs).to.deep.equal(['running']);
      expect((await stored()).every(({ lockedAt, nextRunAt }) => !lockedAt && nextRunAt !== null)).to.equal(true);

      await wake(single, { id: 'woken while stopped' });
      work = async () => {};
      const startedAt = performance.now();
      await startJobs();
      await allDone();
      expect(runs).to.include.members(['waiting', 'woken while stopped']);
      // An unreleased lock lives for a minute.
      expect(performance.now() - startedAt).to.be.below(50_000);
    });

    it('A stop asks a long job to end, and the next start wakes it again', async () => {
      await startJobs();
      work = (_id, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      const start = once(begun, 'long');
      await wake(single, { id: 'long' });
      await start;
      const stoppedAt = performance.now();
      await stopJobs();
      // It would have ten seconds.
      expect(performance.now() - stoppedAt).to.be.below(9_500);
      work = async () => {};
      await startJobs();
      await allDone();
      expect(runs).to.deep.equal(['long', 'long']);
    });

    it('A stop waits no longer than its limit, and the next start runs unfinished jobs again', async () => {
      await startJobs();
      let finish = () => {};
      work = () => new Promise((resolve) => (finish = resolve));
      const start = once(begun, 'hung');
      await wake(single, { id: 'hung' });
      await start;
      const stoppedAt = performance.now();
      await stopJobs(200);
      expect(performance.now() - stoppedAt).to.be.at.least(190);
      work = async () => {};
      await startJobs();
      await allDone();
      expect(runs).to.deep.equal(['hung', 'hung']);
      finish();
    });

    it('A job begins its claimed work even if the lock ran out before, as when the clock jumps', async () => {
      const claim = sinon.stub(MongoJobRepository.prototype, 'getNextJobToRun');
      claim.callsFake(async function (this: MongoJobRepository, ...query) {
        const claimed = await claim.wrappedMethod.apply(this, query);
        // Agenda reads the machine's clock: to it, this claim is two minutes old.
        if (claimed?.name === 'test-single') claimed.lockedAt = new Date(Date.now() - 120_000);
        return claimed;
      });
      try {
        await startJobs();
        const start = once(begun, 'after the jump', { signal: AbortSignal.timeout(30_000) });
        await wake(single, { id: 'after the jump' });
        await start;
      } finally {
        sinon.restore();
      }
      await allDone();
    });

    it('A start is refused when work waits for a job that does not exist, and names that job', async () => {
      await wakeUps().insertOne({ name: 'test-of-yesterday', lockedAt: null, nextRunAt: new Date() });
      const error = await startJobs().catch((reason) => reason);
      expect(error.name).to.equal('DatabaseStartError');
      expect(error.message).to.contain('test-of-yesterday').and.contain(WAKE_UPS);
      expect(jobsRunning()).to.equal(false);
    });

    it('defineJob refuses two jobs of one name', () => {
      expect(() => define('single', 1)).to.throw('Two jobs are named test-single.');
    });
  });
});
