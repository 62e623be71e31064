import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RecentCalls } from '../../../src/platforms/discord/recent-calls.js';

describe('Recent calls', () => {
  it('leave room for another one as long as there are fewer than the limit, with the unanswered ones', () => {
    const calls = new RecentCalls();
    for (let call = 0; call < 3; call += 1) calls.note();
    expect(calls.waitOf(5, 1)).to.equal(0);
    expect(calls.waitOf(5, 2)).to.be.within(900, 1_000);
    expect(calls.waitOf(5, 5)).to.equal(Number.POSITIVE_INFINITY);
  });

  it('count for a second each', async () => {
    const calls = new RecentCalls();
    calls.note();
    await sleep(300);
    calls.note();
    expect(calls.waitOf(2, 0)).to.be.within(600, 710);
    expect(calls.waitOf(1, 0)).to.be.within(900, 1_000);
    await sleep(750);
    expect(calls.waitOf(2, 0)).to.equal(0);
    expect(calls.waitOf(1, 0)).to.be.within(100, 260);
  });
});
