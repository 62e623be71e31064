import { expect } from 'chai';
import { clock } from '../../../../src/lib/clock.js';
import { RateLimitBucket, RateLimitBuckets } from '../../../../src/platforms/discord/rest/rate-limit-bucket.js';
import { restCall } from '../../../../src/platforms/discord/rest/rest-call.js';

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

/**
 * A caller asks repeatedly during continuous bulk calls, which go one after the other as the REST client makes them. A
 * window begins with its first call. Answers take 90 and 20 ms in turn and carry the state at their start, so that a
 * window seems to end later than it does. @returns each call's wait, in ms
 */
function playBusyWindows(play: { limit: number; windowMs: number; askEveryMs: number; asks: number }): number[] {
  const bucket = new RateLimitBucket();
  const [stepMs, answerMs] = [10, 50];
  const waits: number[] = [];
  const waiting: { since: number; answered: () => void }[] = [];
  let under: { at: number; tell: () => void } | undefined;
  let [left, resetAt, calls] = [play.limit, 0, 0];
  const send = (now: number, answered?: () => void) => {
    if (now >= resetAt) [left, resetAt] = [play.limit, now + play.windowMs];
    left -= 1;
    calls += 1;
    expect(left, 'refused').to.be.at.least(0);
    const [remaining, resetMs] = [left, resetAt - now];
    const tell = () => {
      bucket.note(play.limit, remaining, resetMs);
      answered?.();
    };
    under = { at: now + (calls % 2 === 1 ? 90 : 20), tell };
  };
  for (let now = 0; waits.length < play.asks; now += stepMs) {
    if (under !== undefined && under.at <= now) {
      under.tell();
      under = undefined;
    }
    if (now > 0 && now % play.askEveryMs === 0) waiting.push({ since: now, answered: bucket.noteUrgent() });
    expect(waiting.length, 'waiting').to.be.at.most(play.limit);
    const [first] = waiting;
    if (under === undefined && first !== undefined && bucket.waitOf('press', answerMs) === 0) {
      waiting.shift();
      waits.push(now - first.since);
      send(now, first.answered);
    } else if (under === undefined && bucket.waitOf('bulk', answerMs) === 0) {
      send(now);
    }
    clock.advance(stepMs);
  }
  return waits;
}

describe('The rate-limit bucket', () => {
  beforeEach(() => clock.freeze(new Date()));

  it('A rate-limit bucket lets calls go that leave enough of the window to more urgent ones', () => {
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

  it('A rate-limit bucket keeps as many calls as people asked for in the window before, and one more', () => {
    const bucket = new RateLimitBucket();
    bucket.note(10, 9, 30);
    for (let call = 0; call < 5; call += 1) bucket.noteUrgent()();
    clock.advance(40);
    bucket.note(10, 6, 10_000);
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
    bucket.noteUrgent()();
    expect(bucket.waitOf('bulk', 50)).to.equal(0);
    bucket.note(10, 5, 9_990);
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
    expect(bucket.waitOf('single', 50)).to.be.above(9_000);
  });

  it('A rate-limit bucket knows a new window by its end, though its first answer comes early', () => {
    const bucket = new RateLimitBucket();
    bucket.note(20, 2, 10_000);
    for (let call = 0; call < 6; call += 1) bucket.noteUrgent()();
    clock.advance(9_997);
    bucket.note(20, 19, 10_000);
    bucket.note(20, 7, 10_000);
    expect(bucket.waitOf('bulk', 50), 'six and one more').to.be.above(9_000);
    bucket.note(20, 8, 10_000);
    expect(bucket.waitOf('bulk', 50)).to.equal(0);
  });

  it('A rate-limit bucket takes an answer that comes after its own window’s end for no new window', () => {
    const bucket = new RateLimitBucket();
    bucket.note(20, 9, 10_000);
    for (let call = 0; call < 6; call += 1) bucket.noteUrgent()();
    clock.advance(10_020);
    bucket.note(20, 2, 10);
    clock.advance(20);
    bucket.note(20, 7, 10_000);
    expect(bucket.waitOf('bulk', 50), 'six and one more').to.be.above(9_000);
  });

  it('A rate-limit bucket counts an interactive call between two windows to the later one', () => {
    const bucket = new RateLimitBucket();
    bucket.note(20, 2, 10_000);
    for (let call = 0; call < 6; call += 1) bucket.noteUrgent()();
    clock.advance(10_010);
    bucket.noteUrgent()();
    bucket.note(20, 7, 10_000);
    expect(bucket.waitOf('bulk', 50), 'six and one more, of which one has been').to.equal(0);
    bucket.note(20, 6, 9_990);
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
  });

  // SYNC-44
  it('A rate-limit bucket follows windows that get shorter', () => {
    const bucket = new RateLimitBucket();
    bucket.note(20, 2, 60_000);
    clock.advance(60_010);
    for (const asked of [6, 0]) {
      bucket.note(20, 19, 2_000);
      for (let call = 0; call < asked; call += 1) bucket.noteUrgent()();
      clock.advance(1_990);
      bucket.note(20, 7, 2_000);
      expect(bucket.waitOf('bulk', 50) > 0).to.equal(asked === 6);
    }
  });

  it('A rate-limit bucket keeps one call for each waiting interactive call', () => {
    const bucket = new RateLimitBucket();
    bucket.note(10, 3, 10_000);
    const answered = [1, 2, 3].map(() => bucket.noteUrgent());
    expect(bucket.waitOf('bulk', 50)).to.be.above(9_000);
    for (const tell of answered) tell();
    expect(bucket.waitOf('bulk', 50)).to.equal(0);
  });

  it('Callers within a fifth of the calls never wait, from the first window on, however many bulk calls there are', () => {
    const waits = playBusyWindows({ limit: 20, windowMs: 10_000, askEveryMs: 2_500, asks: 40 });
    expect(waits).to.have.length(40);
    // Calls unused at a window's end go to the bulk.
    expect(waits.filter((ms) => ms > 200)).to.deep.equal([]);
  });

  it('A rate-limit bucket leaves at least one call of a window to each lane', () => {
    const bucket = new RateLimitBucket();
    bucket.note(1, 1, 10_000);
    expect([bucket.waitOf('bulk', 50), bucket.waitOf('single', 50)]).to.deep.equal([0, 0]);
  });

  // SYNC-44
  it('Calls share a rate-limit bucket by the name that Discord gives it, and by the guild', () => {
    const buckets = new RateLimitBuckets();
    const remove = restCall('DELETE', `/guilds/${guildId}/members/200000000000000002/roles/300000000000000002`);
    expect(buckets.of(put())).not.to.equal(buckets.of(remove));
    for (const call of [put(), remove]) buckets.note(call, 204, headers(10, 1, 5, { 'x-ratelimit-bucket': 'abc' }));
    expect(buckets.of(put())).to.equal(buckets.of(remove));
    expect(buckets.of(put()).waitOf('bulk', 50)).to.be.above(4_000);
    expect(buckets.of(put('100000000000000002')).waitOf('bulk', 50)).to.equal(0);
  });

  it('A 429 empties a rate-limit bucket for as long as it says, but one of the global limit does not', () => {
    const buckets = new RateLimitBuckets();
    const named = { 'x-ratelimit-bucket': 'abc', 'retry-after': '30' };
    buckets.note(put(), 429, headers(10, 7, 5, { ...named, 'x-ratelimit-scope': 'shared' }));
    expect(buckets.of(put()).waitOf('single', 50)).to.equal(30_000);
    const other = put('100000000000000002');
    buckets.note(other, 429, new Headers({ 'x-ratelimit-global': 'true', 'retry-after': '30' }));
    expect(buckets.of(other).waitOf('single', 50)).to.equal(0);
  });
});
