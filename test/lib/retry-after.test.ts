import { expect } from 'chai';
import { clock } from '../../src/lib/clock.js';
import { retryAfterMs } from '../../src/lib/retry-after.js';

describe('Retry-After', () => {
  before(() => clock.freeze(new Date('2026-01-01T00:00:00Z')));
  after(() => clock.restore());

  it('Retry-After is read as seconds or as an HTTP date, and as nothing else', () => {
    expect(retryAfterMs('120')).to.equal(120_000);
    expect(retryAfterMs('1.5')).to.equal(1_500);
    expect(retryAfterMs('0')).to.equal(0);
    expect(retryAfterMs('1000000000')).to.equal(1_000_000_000_000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:02:00 GMT')).to.equal(120_000);
    expect(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT')).to.equal(0);
    for (const header of [undefined, null, '', 'soon', '-5', '1e9', 'Thu, 99 Foo']) {
      expect(retryAfterMs(header), String(header)).to.equal(undefined);
    }
  });
});
