import { expect } from 'chai';
import mongoose from 'mongoose';
import { dayMs, hourMs } from '../../../src/lib/time.js';
import { jobsRunning, startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { poke, standing, standingWork, startStanding } from '../../../src/platforms/jobs/standing.js';
import { storeRepeatingWakeUp, WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

const runs: string[] = [];
const declare = (name: string, atStart: boolean) =>
  standing({
    name,
    everyMs: dayMs,
    atStart,
    run: async () => {
      runs.push(name);
    },
  });
const prompt = declare('test-standing-prompt', true);
const calm = declare('test-standing-calm', false);
const isOurs = { name: { $in: [prompt.name, calm.name] } };
const wakeUps = () => mongoose.connection.collection<{ name: string; repeatInterval?: number }>(WAKE_UPS);

describe('Standing work', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let wereRunning: boolean;
  before(async () => {
    database = await connectTestDatabase();
    wereRunning = jobsRunning();
    await stopJobs();
  });
  beforeEach(() => {
    runs.length = 0;
  });
  afterEach(async () => {
    await stopJobs(1_000);
    await wakeUps().deleteMany(isOurs);
  });
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  it('Work declared for the start runs once at the start, and other work waits for its interval or a poke', async () => {
    await startStanding((job) => job === prompt || job === calm);
    await startJobs();
    await eventually(() => runs.length === 1, 'the run at the start');
    expect(runs).to.deep.equal([prompt.name]);
    poke(calm);
    await eventually(() => runs.length === 2, 'the run of the poke');
    expect(runs).to.deep.equal([prompt.name, calm.name]);
  });

  it('Work that is not wanted is not started', async () => {
    await startStanding((job) => job === calm);
    expect(await wakeUps().countDocuments({ name: prompt.name })).to.equal(0);
    expect(await wakeUps().countDocuments({ name: calm.name })).to.equal(1);
  });

  it('A document of an earlier version with another interval becomes the declared work, and stays one', async () => {
    await storeRepeatingWakeUp(calm.name, hourMs);
    await startStanding((job) => job === calm);
    const stored = await wakeUps().find(isOurs).toArray();
    expect(stored.map(({ name, repeatInterval }) => [name, repeatInterval])).to.deep.equal([[calm.name, dayMs]]);
  });

  it('A poke of work that was never started runs it once, by no clock', async () => {
    poke(prompt);
    await startJobs();
    await eventually(() => runs.length === 1, 'the run');
    expect(await wakeUps().countDocuments({ ...isOurs, repeatInterval: { $exists: true } })).to.equal(0);
  });

  it('Declared work is listed by name', () => {
    const ours = standingWork().filter(({ name }) => name.startsWith('test-standing-'));
    expect(ours.map(({ name, atStart }) => [name, atStart])).to.deep.equal([
      [calm.name, false],
      [prompt.name, true],
    ]);
  });
});
