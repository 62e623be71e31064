import { expect } from 'chai';
import fc from 'fast-check';
import { attemptOutcomes } from '../../../src/features/webhooks/delivery-model.js';
import { nextAttemptAt } from '../../../src/features/webhooks/retry-schedule.js';

const start = new Date('2026-01-01T00:00:00.000Z');
const second = 1_000;
const hour = 60 * 60 * second;
const day = 24 * hour;

interface Failure {
  outcome: (typeof attemptOutcomes)[number];
  status?: number;
  retryAfterMs?: number;
  random: number;
  tookMs?: number;
  /** How much later than planned it began. */
  lateMs?: number;
}

const serverError: Failure = { outcome: 'http_error', status: 500, random: 0.5 };

/** Lets a delivery fail again and again under its own clock. @returns when each attempt began, in ms from the first. */
function play(failureOf: (attempt: number) => Failure): { begun: number[]; delays: number[] } {
  const begun: number[] = [];
  const delays: number[] = [];
  let at = start.getTime();
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const { tookMs = 0, lateMs = 0, ...failure } = failureOf(attempt);
    at += lateMs;
    begun.push(at - start.getTime());
    const now = new Date(at + tookMs);
    const next = nextAttemptAt({ attempt, firstAttemptAt: start, now, ...failure });
    if (next === null) return { begun, delays };
    delays.push(next.getTime() - now.getTime());
    at = next.getTime();
  }
  throw new Error('It goes on for ever.');
}

// HOOK-14
describe('The retry schedule', () => {
  it('The retry schedule makes eleven attempts: 5 s × 3ⁿ between the first ten, the last after 24 hours', () => {
    const { begun, delays } = play(() => serverError);
    expect(begun).to.have.length(11);
    expect(delays.slice(0, 9)).to.deep.equal(
      [5, 15, 45, 135, 405, 1215, 3645, 10_935, 32_805].map((seconds) => seconds * second),
    );
    expect(begun.at(-1)).to.equal(day);
  });

  it('The retry schedule lengthens or shortens each delay by 7 % at most, so that requests are within 10 %', () => {
    const shortest = play(() => ({ ...serverError, random: 0 })).delays;
    const longest = play(() => ({ ...serverError, random: 0.999_999 })).delays;
    for (let n = 0; n < 9; n += 1) {
      const planned = 5 * second * 3 ** n;
      expect(shortest[n]).to.be.closeTo(planned * 0.93, 2);
      expect(longest[n]).to.be.closeTo(planned * 1.07, 35);
    }
  });

  it('The retry schedule waits a minute at least after a 429 or a timeout, and else the planned time', () => {
    const afterFirst = (failure: Partial<Failure>) => play(() => ({ ...serverError, ...failure })).delays[0];
    expect(afterFirst({ status: 429 })).to.equal(60 * second);
    expect(afterFirst({ outcome: 'timeout' })).to.equal(60 * second);
    expect(afterFirst({ outcome: 'refused' })).to.equal(5 * second);
    const { delays } = play(() => ({ ...serverError, status: 429 }));
    expect(delays.slice(0, 5)).to.deep.equal([60, 60, 60, 135, 405].map((seconds) => seconds * second));
  });

  it('The retry schedule lets Retry-After lengthen a delay up to twice, and never shorten it', () => {
    const delayAfter = (attempt: number, retryAfterMs: number, status = 503) =>
      play(() => ({ ...serverError, status, retryAfterMs })).delays[attempt - 1];
    expect(delayAfter(1, 8 * second)).to.equal(8 * second);
    expect(delayAfter(1, hour)).to.equal(10 * second);
    expect(delayAfter(1, 1)).to.equal(5 * second);
    expect(delayAfter(1, 90 * second, 429)).to.equal(90 * second);
    expect(delayAfter(1, hour, 429)).to.equal(120 * second);
  });

  it('The retry schedule keeps every delay within its bounds and makes no attempt after 24 hours', () => {
    const failure = fc.record({
      outcome: fc.constantFrom(...attemptOutcomes.filter((outcome) => outcome !== 'succeeded')),
      status: fc.constantFrom(301, 404, 410, 429, 500),
      retryAfterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * day })),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      tookMs: fc.integer({ min: 0, max: 10_500 }),
      lateMs: fc.constantFrom(0, 0, 0, 5, second),
    });
    fc.assert(
      fc.property(fc.array(failure, { minLength: 12, maxLength: 12 }), (failures) => {
        const failureOf = (attempt: number) => failures[attempt - 1] ?? serverError;
        const { begun, delays } = play(failureOf);
        expect(begun.length).to.be.at.most(11);
        // A retry may begin late, as none of ours may; none is planned for later than 24 hours.
        for (const [index, at] of begun.entries()) {
          expect(at - (failures[index]?.lateMs ?? 0)).to.be.at.most(day + (failures[0]?.lateMs ?? 0));
        }
        for (const [index, delay] of delays.entries()) {
          const { outcome, status } = failureOf(index + 1);
          const least = outcome === 'timeout' || status === 429 ? 60 * second : 4.5 * second;
          expect(delay).to.be.at.least(least - 1);
          if (index === 9) continue;
          const planned = 5 * second * 3 ** index;
          expect(delay).to.be.at.most(Math.max(planned * 1.1, least) * 2 + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('The retry schedule gives up rather than press another attempt into the rest of the 24 hours', () => {
    const now = (leftMs: number) => new Date(start.getTime() + day - leftMs);
    const ask = (leftMs: number, failure: Partial<Failure> = {}) =>
      nextAttemptAt({ attempt: 8, firstAttemptAt: start, now: now(leftMs), ...serverError, ...failure });
    expect(ask(hour)).to.deep.equal(new Date(start.getTime() + day));
    expect(ask(4 * second)).to.equal(null);
    expect(ask(59 * second, { outcome: 'timeout' })).to.equal(null);
    // Exactly the least that the next attempt needs is enough.
    expect(ask(60 * second, { outcome: 'timeout' })).to.deep.equal(new Date(start.getTime() + day));
    expect(ask(60 * second - 1, { outcome: 'timeout' })).to.equal(null);
    expect(ask(0)).to.equal(null);
    expect(ask(-hour)).to.equal(null);
  });

  it('The retry schedule ends with the eleventh attempt, even if time is left', () => {
    const ask = (attempt: number) =>
      nextAttemptAt({ attempt, firstAttemptAt: start, now: new Date(start.getTime() + hour), ...serverError });
    expect([10, 11, 12].map((attempt) => ask(attempt) === null)).to.deep.equal([false, true, true]);
    expect(ask(10)).to.deep.equal(new Date(start.getTime() + day));
  });
});
