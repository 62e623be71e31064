import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { RateLimit, type Urgency } from '../../../src/platforms/roblox/rate-limit.js';

describe('Roblox rate limits', () => {
  beforeEach(() => clock.freeze(new Date(Date.UTC(2026, 0, 1))));

  const from = (at: number) => Math.max(0, Math.round(at - clock.monotonicMs()));
  /** Milliseconds that an answer makes people wait, and background work. */
  const waits = (status: number, headers: IncomingHttpHeaders) => {
    const limit = new RateLimit();
    limit.note(status, headers);
    return [from(limit.turn('press')), from(limit.turn('yielding'))];
  };

  it('A Roblox rate limit takes seconds and dates from retry-after', () => {
    expect(waits(429, { 'retry-after': '7' })).to.deep.equal([7_000, 7_000]);
    expect(waits(429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })).to.deep.equal([30_000, 30_000]);
    expect(waits(429, { 'retry-after': 'Thu, 01 Jan 2025 00:00:00 GMT' })).to.deep.equal([0, 0]);
  });

  it('A Roblox rate limit falls back to x-ratelimit-reset, and does not wait when nothing is said', () => {
    expect(waits(429, { 'x-ratelimit-reset': '12' })).to.deep.equal([12_000, 12_000]);
    expect(waits(429, { 'retry-after': '3', 'x-ratelimit-reset': '12' })).to.deep.equal([3_000, 3_000]);
    expect(waits(429, { 'retry-after': 'soon' })).to.deep.equal([0, 0]);
    expect(waits(429, {})).to.deep.equal([0, 0]);
  });

  it('A Roblox rate limit believes no wait of more than five minutes, and never shortens one', () => {
    expect(waits(429, { 'retry-after': '1000000000' })).to.deep.equal([300_000, 300_000]);
    const limit = new RateLimit();
    limit.note(429, { 'retry-after': '60' });
    limit.note(429, { 'retry-after': '1' });
    limit.note(200, {});
    expect(from(limit.turn('press'))).to.equal(60_000);
  });

  /** An answer with this many of 300 requests left for the next 20 s. */
  const window = (remaining: number) => ({
    'x-ratelimit-limit': '300, 300;w=60',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': '20',
  });

  // ROBLOX-2
  it('A Roblox rate limit keeps the last 30 % of a window from background work', () => {
    expect(waits(200, window(91))).to.deep.equal([0, 0]);
    expect(waits(200, window(90))).to.deep.equal([0, 20_000]);
    expect(waits(200, window(0))).to.deep.equal([20_000, 20_000]);
    expect(waits(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' })).to.deep.equal([0, 0]);
  });

  // ROBLOX-25
  it('A Roblox rate limit spreads the syncs of the last 30 % over the rest of the window, and people of the last 10 %', () => {
    const turns = (urgency: Urgency, remaining: number) => {
      const limit = new RateLimit();
      limit.note(200, window(remaining));
      return [1, 2, 3].map(() => from(limit.turn(urgency)));
    };
    expect(turns('sync', 91)).to.deep.equal([0, 0, 0]);
    expect(turns('sync', 80)).to.deep.equal([0, 250, 500]);
    expect(turns('press', 80)).to.deep.equal([0, 0, 0]);
    expect(turns('press', 20)).to.deep.equal([0, 1_000, 2_000]);
  });

  // ROBLOX-25
  it('A turn that comes too late for its caller holds no other, and the next window ends all turns', () => {
    const limit = new RateLimit();
    limit.note(200, window(2));
    expect([1, 2, 3].map(() => from(limit.turn('sync', clock.monotonicMs() + 5_000)))).to.deep.equal([
      0, 10_000, 10_000,
    ]);
    expect(from(limit.turn('sync'))).to.equal(10_000);
    expect([1, 2].map(() => from(limit.turn('sync')))).to.deep.equal([20_000, 20_000]);
    clock.advance(20_000);
    expect(from(limit.turn('yielding'))).to.equal(0);
  });
});
