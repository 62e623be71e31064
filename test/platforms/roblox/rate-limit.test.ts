import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { RateLimit } from '../../../src/platforms/roblox/rate-limit.js';

describe('Roblox rate limits', () => {
  beforeEach(() => clock.freeze(new Date(Date.UTC(2026, 0, 1))));

  /** Milliseconds that an answer makes everybody wait, and background work. */
  const waits = (status: number, headers: IncomingHttpHeaders) => {
    const limit = new RateLimit();
    limit.note(status, headers);
    const from = (at: number) => Math.max(0, at - clock.monotonicMs());
    return [from(limit.freeAt(false)), from(limit.freeAt(true))];
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
    expect(limit.freeAt(false)).to.equal(clock.monotonicMs() + 60_000);
  });

  // ROBLOX-2
  it('A Roblox rate limit keeps the last 30 % of a window from background work', () => {
    const window = (remaining: string) => ({
      'x-ratelimit-limit': '300, 300;w=60',
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': '20',
    });
    expect(waits(200, window('91'))).to.deep.equal([0, 0]);
    expect(waits(200, window('90'))).to.deep.equal([0, 20_000]);
    expect(waits(200, window('0'))).to.deep.equal([0, 20_000]);
    expect(waits(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' })).to.deep.equal([0, 0]);
  });
});
