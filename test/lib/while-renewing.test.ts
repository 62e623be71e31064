import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { whileRenewing } from '../../src/lib/while-renewing.js';
import { eventually } from '../support/build.js';
import { linesOf } from '../support/logged-lines.js';

describe('Claims that are renewed', () => {
  it('A claim is renewed until its work has ended, also after a renewal that failed, and never later', async () => {
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      if (renewals === 1) throw new Error('no luck');
    };
    const lines = await linesOf(async () => {
      const done = await whileRenewing({ everyMs: 5, renew }, () =>
        eventually(() => renewals > 2 && 'done', 'renewals'),
      );
      expect(done).to.equal('done');
    });
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['claim not renewed']);
    const before = renewals;
    await delay(30);
    expect(renewals).to.equal(before);
  });

  it('A renewal under way is waited for before the work counts as ended', async () => {
    const order: string[] = [];
    let begun = false;
    const renew = async () => {
      begun = true;
      await delay(30);
      order.push('renewed');
    };
    await whileRenewing({ everyMs: 5, renew }, () => eventually(() => begun, 'the renewal'));
    order.push('ended');
    expect(order.at(-1)).to.equal('ended');
  });
});
