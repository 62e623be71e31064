import { expect } from 'chai';
import { clock } from '../../src/lib/clock.js';
import { RateLimited } from '../../src/lib/errors.js';
import { TimeShare } from '../../src/lib/time-share.js';

// API-96
describe('A share of time', () => {
  beforeEach(() => clock.freeze(new Date('2026-01-01T00:00:00Z')));

  const working = (share: TimeShare, key: string, ms: number) =>
    share
      .run(key, async () => clock.advance(ms))
      .then(
        () => 'done',
        (error: unknown) => (error instanceof RateLimited ? error.retryAfterSeconds : error),
      );

  it('A key whose work has used its share is refused with the seconds until it has some again, and no other key is', async () => {
    const share = new TimeShare(10_000, 0.1, 10);
    expect(await working(share, 'a', 6_000)).to.equal('done');
    expect(await working(share, 'a', 6_000)).to.equal('done');
    expect(await working(share, 'a', 1)).to.equal(14);
    expect(await working(share, 'b', 1)).to.equal('done');
    clock.advance(13_000);
    expect(await working(share, 'a', 1)).to.equal(1);
    clock.advance(1_000);
    expect(await working(share, 'a', 1)).to.equal('done');
  });

  it('The work of one key runs one after another, and a failure counts and holds up nothing', async () => {
    const share = new TimeShare(10_000, 0.1, 10);
    const order: string[] = [];
    const first = share.run('a', async () => {
      await Promise.resolve();
      order.push('first');
      throw new Error('failed');
    });
    const second = share.run('a', async () => void order.push('second'));
    expect(await first.catch((error: unknown) => String(error))).to.equal('Error: failed');
    await second;
    expect(order).to.deep.equal(['first', 'second']);
  });

  it('A key begins at most so many works in a minute, whatever they take, and continues begun ones', async () => {
    const share = new TimeShare(10_000, 0.1, 2);
    expect([await working(share, 'a', 0), await working(share, 'a', 0)]).to.deep.equal(['done', 'done']);
    expect(await working(share, 'a', 0)).to.be.within(1, 61);
    expect(await share.run('a', async () => 'continued', { goesOn: true })).to.equal('continued');
    expect(await working(share, 'b', 0)).to.equal('done');
    clock.advance(61_000);
    expect(await working(share, 'a', 0)).to.equal('done');
  });
});
