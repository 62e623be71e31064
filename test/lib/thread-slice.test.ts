import { expect } from 'chai';
import { clock } from '../../src/lib/clock.js';
import { ThreadSlice } from '../../src/lib/thread-slice.js';

describe('A slice of the thread', () => {
  afterEach(() => clock.restore());

  it('A long calculation lets other work have the thread when its slice is over, and not before', async () => {
    clock.freeze(new Date());
    const slice = new ThreadSlice();
    let served = false;
    setImmediate(() => {
      served = true;
    });
    await slice.yieldIfOver();
    expect(served).to.equal(false);
    clock.advance(1_000);
    await slice.yieldIfOver();
    expect(served).to.equal(true);
  });
});
