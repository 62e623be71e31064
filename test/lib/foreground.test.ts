import { expect } from 'chai';
import { Foreground } from '../../src/lib/foreground.js';

function lasting(): { work: () => Promise<void>; end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

describe('The foreground', () => {
  it('Background work waits until the last person is served, and does not wait without one', async () => {
    const foreground = new Foreground();
    await foreground.yield(60_000);
    const [one, other] = [lasting(), lasting()];
    const served = [foreground.serve(one.work), foreground.serve(other.work)];
    const order: string[] = [];
    const background = Promise.all([
      foreground.yield(60_000).then(() => order.push('background')),
      foreground.yield(60_000).then(() => order.push('background')),
    ]);
    one.end();
    await served[0];
    order.push('one');
    other.end();
    await background;
    expect(order).to.deep.equal(['one', 'background', 'background']);
    await foreground.yield(60_000);
  });

  it('Background work waits no longer than its limit, nor after a failure', async () => {
    const foreground = new Foreground();
    const { work, end } = lasting();
    const served = foreground.serve(work);
    await foreground.yield(1);
    end();
    await served;
    const failing = foreground.serve(() => Promise.reject(new Error('not served')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('not served');
    await foreground.yield(60_000);
  });
});
