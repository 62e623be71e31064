import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { clock } from '../../../src/lib/clock.js';
import { NotFound } from '../../../src/lib/errors.js';
import { currentLogContext, type LogContext, withLogContext } from '../../../src/lib/logger.js';
import { hourMs } from '../../../src/lib/time.js';
import { startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { keyed } from '../../../src/platforms/jobs/keyed.js';
import { jobStats, jobsRunning, plannedRuns } from '../../../src/platforms/jobs/runs.js';
import { eventually } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { connectTestDatabase } from '../../support/test-database.js';

let runs: string[];
let work: (id: string, signal: AbortSignal) => Promise<void>;
const define = (name: string, concurrency: number) =>
  keyed({
    ...{ name: `test-keyed-${name}`, concurrency },
    run: async (id, signal) => {
      runs.push(id);
      await work(id, signal);
    },
  });
const single = define('single', 1);
const double = define('double', 2);
const planned = () => plannedRuns().filter(({ name }) => name.startsWith('test-keyed-'));

/** Work that lasts until the returned function is called. */
function holdWork(): () => void {
  const ends: (() => void)[] = [];
  work = () => new Promise((resolve) => ends.push(resolve));
  return () => {
    work = async () => {};
    for (const end of ends) end();
  };
}

const isDone = () => planned().length === 0 && [single, double].every(({ name }) => jobStats()[name]?.running === 0);
const allDone = () => eventually(isDone, 'the end of all runs');

describe('Keyed work', () => {
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
  afterEach(() => stopJobs(100));
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  it('Work runs once for each id that is woken, however often it is until its run begins', async () => {
    for (let times = 0; times < 5; times += 1) single.wake('before the start');
    await startJobs();
    const finish = holdWork();
    single.wake('a');
    for (let times = 0; times < 5; times += 1) single.wake('b');
    finish();
    await allDone();
    expect(runs).to.deep.equal(['before the start', 'a', 'b']);
  });

  it('An id that is woken while its work runs has one more run after it', async () => {
    await startJobs();
    const finish = holdWork();
    double.wake('again');
    double.wake('again');
    double.wake('again');
    expect(runs).to.deep.equal(['again']);
    finish();
    await allDone();
    expect(runs).to.deep.equal(['again', 'again']);
  });

  it('Work keeps to its concurrency, and a free place takes the next id', async () => {
    await startJobs();
    let [now, most] = [0, 0];
    work = async () => {
      now += 1;
      most = Math.max(most, now);
      await delay(1);
      now -= 1;
    };
    for (let id = 0; id < 40; id += 1) double.wake(String(id));
    await allDone();
    expect([runs.length, most]).to.deep.equal([40, 2]);
  });

  it('Of several times the earliest counts, and the run comes then', async () => {
    await startJobs();
    const from = clock.epochMs();
    for (const inMs of [hourMs, 300, 2 * hourMs]) single.wakeAt('later', new Date(from + inMs));
    expect(planned()).to.deep.equal([{ name: single.name, id: 'later', at: new Date(from + 300) }]);
    await eventually(() => runs.length === 1, 'the run');
    expect(clock.epochMs() - from).to.be.at.least(290);
    expect(planned()).to.deep.equal([]);
  });

  it('Failures are counted and logged with their id, and end nothing', async () => {
    await startJobs();
    const before = { ...jobStats()[double.name] };
    work = async (id) => {
      if (id === 'throws') throw new TypeError('no such luck');
      if (id === 'gone') throw new NotFound('member_not_found', 'There is no such member.');
    };
    const lines = await linesOf(async () => {
      for (const id of ['throws', 'gone', 'works']) double.wake(id);
      await allDone();
    });
    const [line] = lines.filter(({ msg }) => msg === 'job failed');
    expect(line).to.include({ level: 50, job: double.name, id: 'throws' });
    expect(line?.err).to.include({ type: 'TypeError', message: 'no such luck' });
    expect(jobStats()[double.name]).to.deep.equal({
      ...{ running: 0, completed: (before.completed ?? 0) + 2, failed: (before.failed ?? 0) + 1 },
    });
  });

  it('Work logs once a minute that the database is away', async () => {
    await startJobs();
    work = async () => {
      throw new mongo.MongoNetworkError('cut');
    };
    const lines = await linesOf(async () => {
      for (let id = 0; id < 12; id += 1) double.wake(String(id));
      await allDone();
    });
    expect(lines.filter(({ msg }) => msg === 'job failed')).to.have.length.at.most(1);
  });

  it('Each run has a log context of its own, whatever context it was woken in', async () => {
    await startJobs();
    let context: LogContext = {};
    work = async () => {
      context = currentLogContext();
    };
    withLogContext({ requestId: 'of the waker' }, () => single.wake('logged'));
    await allDone();
    expect(Object.keys(context)).to.deep.equal(['jobId']);
  });

  it('A stop asks a long run to end, begins no other, and waits no longer than its limit', async () => {
    await startJobs();
    const seen: boolean[] = [];
    let letGo = () => {};
    work = async (id, signal) => {
      if (id === 'hung') return new Promise((resolve) => (letGo = resolve));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      seen.push(signal.aborted);
    };
    double.wake('hung');
    double.wake('long');
    double.wake('waits');
    single.wakeAt('planned', new Date(clock.epochMs() + 50));
    await stopJobs(150);
    await delay(100);
    expect(runs).to.deep.equal(['hung', 'long']);
    expect(seen).to.deep.equal([true]);
    expect(jobsRunning()).to.equal(false);
    letGo();
  });

  it('Two pieces of work can’t have one name', () => {
    expect(() => define('single', 1)).to.throw('Two jobs are named test-keyed-single.');
  });
});
