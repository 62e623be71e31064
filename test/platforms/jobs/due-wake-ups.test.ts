import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { clock } from '../../../src/lib/clock.js';
import { secondMs } from '../../../src/lib/time.js';
import { DueWakeUps } from '../../../src/platforms/jobs/due-wake-ups.js';
import { dueBetween, roundedUp, WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

const wakeUps = () => mongoose.connection.collection(WAKE_UPS);
const inMs = (ms: number) => new Date(clock.machineTime().getTime() + ms);

describe('Due wake-ups', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let due: DueWakeUps;
  let told: { name: string; at: number }[];
  let stop: () => void;
  const toldOf = (name: string) => told.filter((one) => one.name === name);

  before(async () => {
    database = await connectTestDatabase();
  });
  beforeEach(() => {
    due = new DueWakeUps();
    told = [];
    watch();
  });
  const watch = () => {
    const stopping = new AbortController();
    const onDue = (name: string) => void told.push({ name, at: clock.machineTime().getTime() });
    const onFailure = (error: unknown) => {
      throw error;
    };
    void due.watch({ onDue, onFailure }, stopping.signal);
    stop = () => stopping.abort();
  };
  afterEach(async () => {
    stop();
    await wakeUps().deleteMany({ name: /^due-/ });
  });
  after(() => database.close());

  it('A due wake-up is reported immediately, and each second again until a claim has taken it', async () => {
    due.note('due-now', inMs(-1));
    expect(toldOf('due-now')).to.have.lengthOf(1);
    await eventually(() => toldOf('due-now').length === 2, 'the second time');
    const [first, second] = toldOf('due-now');
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.at.least(secondMs - 1);
    expect(due.mayBeDue('due-now')).to.equal(true);
    due.noneDue('due-now', inMs(0), due.notesOf('due-now'));
    expect(due.mayBeDue('due-now')).to.equal(false);
  });

  it('A wake-up for later is reported at its time, not before', async () => {
    const at = inMs(400);
    due.note('due-later', at);
    expect(due.mayBeDue('due-later')).to.equal(false);
    const [first] = await eventually(() => (toldOf('due-later').length > 0 ? toldOf('due-later') : undefined), 'it');
    expect(first?.at).to.be.at.least(at.getTime());
    due.taken('due-later', at);
    expect(due.mayBeDue('due-later')).to.equal(false);
  });

  it('A wake-up is due again when a claim gives it back', () => {
    const at = inMs(-1);
    due.note('due-back', at);
    due.taken('due-back', at);
    expect(due.mayBeDue('due-back')).to.equal(false);
    due.givenBack('due-back', at);
    expect(due.mayBeDue('due-back')).to.equal(true);
  });

  it('A claim that began before a wake-up was noted does not forget it', () => {
    const noted = due.notesOf('due-meanwhile');
    due.note('due-meanwhile', inMs(-1));
    due.noneDue('due-meanwhile', inMs(0), noted);
    expect(due.mayBeDue('due-meanwhile')).to.equal(true);
  });

  it('A claim that began before a poll found a wake-up does not forget it', async () => {
    const noted = due.notesOf('due-found');
    await wakeUps().insertOne({ name: 'due-found', nextRunAt: inMs(-1), lockedAt: null });
    await eventually(() => toldOf('due-found').length > 0, 'it', 30_000);
    due.noneDue('due-found', inMs(0), noted);
    expect(due.mayBeDue('due-found')).to.equal(true);
  });

  it('A claim that takes one wake-up leaves another that falls due right after the poll', async () => {
    stop();
    // In the middle of the time that a poll counts together.
    const lookedAt = Math.ceil(Date.now() / secondMs) * secondMs + 25;
    const [overdue, next] = [new Date(lookedAt - 1), new Date(lookedAt + 1)];
    await wakeUps().insertMany([overdue, next].map((nextRunAt) => ({ name: 'due-beside', nextRunAt, lockedAt: null })));
    let now = lookedAt;
    sinon.stub(clock, 'machineTime').callsFake((at = new Date(now)) => at);
    try {
      watch();
      while (toldOf('due-beside').length === 0) await delay(5);
      due.taken('due-beside', overdue);
      due.noneDue('due-beside', new Date(lookedAt), due.notesOf('due-beside'));
      expect(due.mayBeDue('due-beside')).to.equal(false);
      now += 50;
      expect(due.mayBeDue('due-beside')).to.equal(true);
    } finally {
      sinon.restore();
    }
  });

  it('A poll finds the wake-ups that other processes stored, at a time when they certainly are due', async () => {
    const second = Math.ceil(inMs(3_000).getTime() / secondMs) * secondMs;
    const at = [0, 1, 49, 50, 51, 940, 999].map((ms) => new Date(second + ms));
    await wakeUps().insertMany(at.map((nextRunAt) => ({ name: 'due-elsewhere', nextRunAt, lockedAt: null })));
    const seen = (await dueBetween(new Date(), inMs(60_000))).filter(({ name }) => name === 'due-elsewhere');
    const counted = new Map(seen.map((one) => [one.at.getTime(), one.count]));
    const expected = new Map<number, number>();
    for (const time of at.map(Number)) expected.set(roundedUp(time), (expected.get(roundedUp(time)) ?? 0) + 1);
    expect([...counted].sort()).to.deep.equal([...expected].sort());
    for (const time of at.map(Number)) expect(roundedUp(time)).to.be.within(time + 1, time + 50);
    await eventually(() => toldOf('due-elsewhere').length > 0, 'it', 30_000);
    expect(toldOf('due-elsewhere')[0]?.at).to.be.at.least(roundedUp(Number(at[0])));
  });

  it('A wake-up is no longer reported when the watch has ended', async () => {
    due.note('due-after', inMs(300));
    stop();
    due.note('due-now', inMs(-1));
    await delay(500);
    expect(toldOf('due-after').concat(toldOf('due-now'))).to.deep.equal([]);
  });
});
