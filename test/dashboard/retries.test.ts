import { expect } from 'chai';
import { Refusal, Unreachable } from '../../src/dashboard/api/answer-errors.js';
import { mayRetry, retryDelay } from '../../src/dashboard/api/retries.js';

const refused = (status: number, retryAfter?: number) => new Refusal(status, {}, retryAfter);

// DASH-11
describe('The repetition of a request by the dashboard', () => {
  it('A request is repeated without an answer and after a 503, at most twice', () => {
    for (const error of [new Unreachable(undefined), refused(503), refused(503, 5)]) {
      expect(
        [0, 1, 2].map((failures) => mayRetry(failures, error)),
        String(error),
      ).to.deep.equal([true, true, false]);
    }
    for (const status of [400, 401, 403, 404, 409, 429, 500, 502]) {
      expect(mayRetry(0, refused(status)), String(status)).to.equal(false);
    }
  });

  it('A request is repeated not before Retry-After, and not automatically where that is longer than 10 s', () => {
    expect(retryDelay(0, refused(503, 5))).to.equal(5_000);
    expect([0, 1].map((failures) => retryDelay(failures, new Unreachable(undefined)))).to.deep.equal([1_000, 2_000]);
    expect(mayRetry(0, refused(503, 10))).to.equal(true);
    expect(retryDelay(0, refused(503, 10))).to.equal(10_000);
    expect(mayRetry(0, refused(503, 30))).to.equal(false);
  });
});
