import { expect } from 'chai';
import { clock } from '../../../../src/lib/clock.js';
import { RecentCalls } from '../../../../src/platforms/discord/rest/recent-calls.js';

describe('Recent calls', () => {
  beforeEach(() => clock.freeze(new Date()));

  it('Recent calls leave room for another one while they and the unanswered ones are fewer than the limit', () => {
    const calls = new RecentCalls();
    for (let call = 0; call < 3; call += 1) calls.note();
    expect(calls.waitOf(5, 1)).to.equal(0);
    expect(calls.waitOf(5, 2)).to.equal(1_000);
    expect(calls.waitOf(5, 5)).to.equal(Number.POSITIVE_INFINITY);
  });

  it('Recent calls count for a second each', () => {
    const calls = new RecentCalls();
    calls.note();
    clock.advance(300);
    calls.note();
    expect(calls.waitOf(2, 0)).to.equal(700);
    expect(calls.waitOf(1, 0)).to.equal(1_000);
    clock.advance(750);
    expect(calls.waitOf(2, 0)).to.equal(0);
    expect(calls.waitOf(1, 0)).to.equal(250);
  });
});
