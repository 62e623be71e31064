import { expect } from 'chai';
import { backoffMs, shortWaits } from '../../../src/lib/backoff.js';
import { shortenWaits, usualWaits } from '../../support/short-waits.js';

describe('backoffMs', () => {
  before(() => Object.assign(shortWaits, usualWaits));
  after(shortenWaits);

  it('backoffMs grows exponentially up to 8 s, with jitter in its upper half', () => {
    for (const [attempt, ceiling] of [
      [1, 250],
      [2, 500],
      [3, 1_000],
      [6, 8_000],
      [20, 8_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => backoffMs(attempt));
      expect(Math.min(...delays)).to.be.at.least(ceiling / 2);
      expect(Math.max(...delays)).to.be.at.most(ceiling);
      expect(new Set(delays).size).to.be.greaterThan(1);
    }
  });
});
