import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { RateLimitBucket, RateLimitBuckets } from '../../../src/platforms/discord/rate-limit-bucket.js';
import { restCall } from '../../../src/platforms/discord/rest-call.js';

const guildId = '100000000000000001';
const put = (guild = guildId) =>
  restCall('PUT', `/guilds/${guild}/members/200000000000000001/roles/300000000000000001`);

function headers(limit: number, remaining: number, resetAfter: number, more: Record<string, string> = {}): Headers {
  return new Headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset-after': String(resetAfter),
    ...more,
  });
}

describe('Rate-limit bucket', () => {
  beforeEach(() => clock.freeze(new Date()));

  it('lets calls go that leave enough of the window to more urgent ones', () => {
    const bucket = new RateLimitBucket();
    expect([bucket.waitOf('bulk', 50), bucket.waitOf('single', 50)]).to.deep.equal([0, 0]);
    bucket.note(10, 3, 10_000);
    expect([bucket.waitOf('bulk', 50), bucket.waitOf('single', 50)]).to.deep.equal([0, 0]);
    bucket.note(10, 2, 10_000);
    expect(bucket.waitOf('bulk', 10)).to.equal(9_930);
    expect(bucket.waitOf('bulk', 500)).to.equal(9_800);
    expect(bucket.waitOf('single', 50)).to.equal(0);
    bucket.note(10, 1, 10_000);
    expect(bucket.waitOf('single', 500)).to.equal(9_800);
    bucket.note(10, 0, 10_000);
    expect(bucket.isEmpty).to.equal(true);
    expect(bucket.waitOf('single', 50)).to.equal(10_000);
    bucket.note(10, 2, 150);
    expect(bucket.waitOf('bulk', 50)).to.equal(0);
  });

  it('keeps in the next window what people needed of the one before', () => {
    const bucket = new RateLimitBucket();
    bucket.note(10, 9, 30);
    for (let call = 0; call < 6; call += 1) bucket.noteInteractive();
    clock.advance(40);
    bucket.note(10, 6, 10_000);
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
    bucket.noteInteractive();
    expect(bucket.waitOf('bulk', 50)).to.equal(0);
    bucket.note(10, 5, 9_990);
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
    expect(bucket.waitOf('single', 50)).to.equal(0);
  });

  it('leaves at least one call of a window to each lane', () => {
    const bucket = new RateLimitBucket();
    bucket.note(1, 1, 10_000);
    expect([bucket.waitOf('bulk', 50), bucket.waitOf('single', 50)]).to.deep.equal([0, 0]);
  });

  it('goes by the name that Discord gives a bucket, and by the guild', () => {
    const buckets = new RateLimitBuckets();
    const remove = restCall('DELETE', `/guilds/${guildId}/members/200000000000000002/roles/300000000000000002`);
    expect(buckets.of(put())).not.to.equal(buckets.of(remove));
    for (const call of [put(), remove]) buckets.note(call, 204, headers(10, 1, 5, { 'x-ratelimit-bucket': 'abc' }));
    expect(buckets.of(put())).to.equal(buckets.of(remove));
    expect(buckets.of(put()).waitOf('bulk', 50)).to.be.above(4_000);
    expect(buckets.of(put('100000000000000002')).waitOf('bulk', 50)).to.equal(0);
  });

  it('is empty after a 429, for as long as that says; one of the global limit says nothing about it', () => {
    const buckets = new RateLimitBuckets();
    const named = { 'x-ratelimit-bucket': 'abc', 'retry-after': '30' };
    buckets.note(put(), 429, headers(10, 7, 5, { ...named, 'x-ratelimit-scope': 'shared' }));
    expect(buckets.of(put()).waitOf('single', 50)).to.equal(30_000);
    const other = put('100000000000000002');
    buckets.note(other, 429, new Headers({ 'x-ratelimit-global': 'true', 'retry-after': '30' }));
    expect(buckets.of(other).waitOf('single', 50)).to.equal(0);
  });
});
