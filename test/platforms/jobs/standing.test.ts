import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs, secondMs } from '../../../src/lib/time.js';
import { startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { jobStats, jobsRunning, plannedRuns } from '../../../src/platforms/jobs/runs.js';
import {
  poke,
  pokeAt,
  runDueWork,
  type StandingJob,
  standing,
  standingWork,
} from '../../../src/platforms/jobs/standing.js';
import { STANDING_WORK } from '../../../src/platforms/jobs/standing-claims.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

const runs: string[] = [];
let work: (name: string, signal: AbortSignal) => Promise<void>;
const declare = (name: string, more: { atStart?: boolean; everyMs?: number; inEachProcess?: boolean } = {}) =>
  standing({
    ...{ name: `test-standing-${name}`, everyMs: dayMs, atStart: false, ...more },
    run: async (signal) => {
      runs.push(name);
      await work(name, signal);
    },
  });
const prompt = declare('prompt', { atStart: true });
const calm = declare('calm');
const slow = declare('slow');
const often = declare('often', { everyMs: 50, inEachProcess: true });
const others = ['one', 'two'].map((name) => declare(name, { everyMs: 50, inEachProcess: true }));

const claims = () => mongoose.connection.collection<{ _id: string; due: Record<string, Date> }>(STANDING_WORK);
const dueAt = async ({ name }: StandingJob) => (await claims().findOne({}))?.due[name];
const start = (...wanted: StandingJob[]) => startJobs((job) => wanted.includes(job));

/** Makes work due, whether or not it runs. */
async function makeDue(...jobs: StandingJob[]): Promise<void> {
  const times = Object.fromEntries(jobs.map(({ name }) => [`due.${name}`, new Date(clock.epochMs() - hourMs)]));
  await claims().updateOne(
    { _id: 'all' },
    { $set: { at: clock.now(), ...times }, $inc: { claims: 1 } },
    { upsert: true },
  );
}

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
    work = async () => {};
  });
  afterEach(async () => {
    await stopJobs(1_000);
    await claims().deleteMany({});
  });
  after(async () => {
    if (wereRunning) await startJobs();
    await database.close();
  });

  it('Work declared for the start runs once at the start, and other work waits for its interval or a poke', async () => {
    await start(prompt, calm);
    await eventually(() => runs.length === 1, 'the run at the start');
    poke(calm);
    await eventually(() => runs.length === 2, 'the run of the poke');
    expect(runs).to.deep.equal(['prompt', 'calm']);
  });

  it('Due work runs once, is due again one interval later, and work that is not wanted never is', async () => {
    await makeDue(calm, slow);
    const startedAt = clock.epochMs();
    await start(calm);
    await runDueWork();
    await eventually(async () => ((await dueAt(calm))?.getTime() ?? 0) >= startedAt + dayMs, 'the end of the run');
    await runDueWork();
    expect(runs).to.deep.equal(['calm']);
  });

  it('A slow standing job holds up no other one', async () => {
    let finish = () => {};
    work = (name) => (name === 'slow' ? new Promise((resolve) => (finish = resolve)) : Promise.resolve());
    await makeDue(slow);
    await start(slow, calm);
    await runDueWork();
    await eventually(() => runs.includes('slow'), 'the slow run');
    await makeDue(calm);
    await runDueWork();
    await eventually(() => runs.includes('calm'), 'the other run');
    expect(jobStats()[slow.name]?.running).to.equal(1);
    finish();
  });

  it('A poke while work runs makes one more run, however often it is repeated', async () => {
    await startJobs();
    let finish = () => {};
    work = () => new Promise((resolve) => (finish = resolve));
    poke(calm);
    for (let times = 0; times < 5; times += 1) poke(calm);
    expect(runs).to.deep.equal(['calm']);
    work = async () => {};
    finish();
    await eventually(() => jobStats()[calm.name]?.running === 0 && runs.length > 1, 'the second run');
    await delay(50);
    expect(runs).to.deep.equal(['calm', 'calm']);
  });

  it('A poke while no jobs run is kept for their start', async () => {
    poke(prompt);
    poke(prompt);
    await startJobs();
    await eventually(() => runs.length === 1, 'the run');
    expect(runs).to.deep.equal(['prompt']);
  });

  it('A poke for several times comes at the earliest', async () => {
    await startJobs();
    const from = clock.epochMs();
    pokeAt(calm, new Date(from + hourMs));
    pokeAt(calm, new Date(from + 300));
    pokeAt(calm, new Date(from + 2 * hourMs));
    const planned = () => plannedRuns().filter(({ name }) => name === calm.name);
    expect(planned().map(({ at }) => at)).to.deep.equal([new Date(from + 300)]);
    await eventually(() => runs.length === 1, 'the run');
    expect(clock.epochMs() - from).to.be.at.least(290);
    expect(planned()).to.deep.equal([]);
  });

  it('Work of each process runs at its interval without a claim', async () => {
    await start(often);
    await eventually(() => runs.length >= 3, 'three runs');
    expect(await claims().countDocuments({})).to.equal(0);
    await stopJobs();
    runs.length = 0;
    await delay(200);
    expect(runs).to.deep.equal([]);
  });

  it('Work of each process listens for the stop once, however much work there is', async () => {
    const heard: number[] = [];
    work = async (_, signal) => void heard.push(getEventListeners(signal, 'abort').length);
    await start(often, ...others);
    await eventually(async () => heard.length > 0, 'a run');
    expect(heard[0]).to.equal(1);
  });

  it('A wake-up that is planned while the clock is set back delays none that is planned after it', async () => {
    await start(calm);
    const soon = new Date(clock.epochMs() + 30);
    clock.jump(-dayMs);
    pokeAt(calm, soon);
    clock.jump(dayMs);
    pokeAt(calm, new Date(soon.getTime() + 30));
    await eventually(() => runs.length > 0, 'the run', 30_000);
  });

  it('A failure of a standing job is counted and does not end its schedule', async () => {
    const before = jobStats()[often.name]?.failed ?? 0;
    work = async () => {
      throw new Error('no luck');
    };
    await start(often);
    await eventually(() => (jobStats()[often.name]?.failed ?? 0) >= before + 2, 'two failures');
  });

  it('A stop ends a run, and its work is due at the next start', async () => {
    work = (_name, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    await makeDue(slow);
    await start(slow);
    await runDueWork();
    await eventually(() => runs.length === 1, 'the run');
    await stopJobs();
    expect((await dueAt(slow))?.getTime()).to.be.at.most(clock.epochMs());
  });

  it('Shared work with an interval below that of the claims is refused', () => {
    expect(() => declare('restless', { everyMs: secondMs })).to.throw('test-standing-restless');
  });

  it('Declared standing jobs are listed by name', () => {
    const ours = standingWork().filter(({ name }) => name.startsWith('test-standing-'));
    const all = [calm, often, prompt, slow, ...others].map(({ name }) => name);
    expect(ours.map(({ name }) => name)).to.deep.equal(all.sort());
  });
});
