import { expect } from 'chai';
import { shortWaits, waitAfter } from '../../src/lib/backoff.js';
import { shortenWaits, usualWaits } from '../support/short-waits.js';

describe('The waits after failures', () => {
  before(() => Object.assign(shortWaits, usualWaits));
  after(shortenWaits);

  it('A wait is twice as long as the one before, up to the longest', () => {
    const backoff = { firstMs: 10, longestMs: 50 };
    expect([1, 2, 3, 4, 50].map((failures) => waitAfter(failures, backoff))).to.deep.equal([10, 20, 40, 50, 50]);
  });

  it('A wait grows by its own factor where one is given', () => {
    const backoff = { firstMs: 10, factor: 3, longestMs: 100 };
    expect([1, 2, 3, 4].map((failures) => waitAfter(failures, backoff))).to.deep.equal([10, 30, 90, 100]);
  });

  it('A wait is spread between the two parts of it that are given', () => {
    const backoff = { firstMs: 100, longestMs: 100, spread: [0.5, 1.5] } as const;
    expect([0, 0.5, 0.999].map((random) => Math.round(waitAfter(1, backoff, random)))).to.deep.equal([50, 100, 150]);
  });

  it('The waits of interactive calls grow up to 8 s, each in its upper half', () => {
    for (const [failures, ceiling] of [
      [1, 250],
      [2, 500],
      [3, 1_000],
      [6, 8_000],
      [20, 8_000],
    ] as const) {
      const waits = Array.from({ length: 50 }, () => waitAfter(failures, shortWaits));
      expect(Math.min(...waits)).to.be.at.least(ceiling / 2);
      expect(Math.max(...waits)).to.be.at.most(ceiling);
      expect(new Set(waits).size).to.be.greaterThan(1);
    }
  });
});
