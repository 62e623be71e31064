import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { clock } from '../../src/lib/clock.js';

describe('The clock', () => {
  afterEach(() => clock.restore());

  it('The clock moves its time and its durations alike when it is advanced', () => {
    const at = new Date('2026-03-08T12:00:00Z');
    clock.freeze(at);
    const since = clock.monotonicMs();
    clock.advance(1_500);
    expect(clock.now()).to.deep.equal(new Date('2026-03-08T12:00:01.500Z'));
    expect(clock.monotonicMs() - since).to.equal(1_500);
  });

  it('The clock stays unchanged while frozen', async () => {
    clock.freeze(new Date(0));
    const [epochMs, monotonicMs] = [clock.epochMs(), clock.monotonicMs()];
    await delay(5);
    expect([clock.epochMs(), clock.monotonicMs()]).to.deep.equal([epochMs, monotonicMs]);
  });

  it('The clock keeps durations true when the machine’s clock is set', () => {
    clock.freeze(new Date(10_000));
    const since = clock.monotonicMs();
    clock.jump(-3_600_000);
    expect(clock.epochMs()).to.equal(10_000 - 3_600_000);
    expect(clock.monotonicMs()).to.equal(since);
  });

  it('Durations of the clock never decrease, not even when it is restored', () => {
    const since = clock.monotonicMs();
    clock.freeze(new Date(0));
    clock.advance(60_000);
    clock.restore();
    expect(clock.monotonicMs() - since).to.be.at.least(60_000);
    expect(clock.epochMs()).to.be.closeTo(Date.now(), 1_000);
  });

  it('The clock returns the machine’s time at which something is due', () => {
    clock.jump(-3_600_000);
    const due = new Date(clock.epochMs() + 5_000);
    expect(clock.machineTime(due).getTime()).to.equal(due.getTime() + 3_600_000);
    clock.freeze(new Date(0));
    expect(clock.machineTime(new Date(5_000)).getTime()).to.be.closeTo(Date.now() + 5_000, 1_000);
  });
});
