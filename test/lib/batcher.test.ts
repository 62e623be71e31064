import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Batcher } from '../../src/lib/batcher.js';
import { eventually } from '../support/build.js';

describe('Gathered work', () => {
  let pieces: (readonly number[])[];
  let ends: ((error?: Error) => void)[];
  const batcher = (limits: { most: number; atOnce?: number; quietMs?: number }) =>
    new Batcher<number, number>((items) => {
      pieces.push(items);
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve(items.map((item) => item * 2)) : reject(error)));
      });
    }, limits);
  const settled = async () => {
    await turn();
    await turn();
  };

  beforeEach(() => {
    pieces = [];
    ends = [];
  });

  it('A batch begins immediately with simultaneous calls, and later calls share the next batch', async () => {
    const work = batcher({ most: 3 });
    const first = [work.add(1), work.add(2)];
    await settled();
    const later = [3, 4, 5, 6].map((item) => work.add(item));
    expect(pieces).to.deep.equal([[1, 2]]);
    ends[0]?.();
    expect(await Promise.all(first)).to.deep.equal([2, 4]);
    await settled();
    expect(pieces.slice(1)).to.deep.equal([[3, 4, 5]]);
    ends[1]?.();
    await settled();
    ends[2]?.();
    expect(await Promise.all(later)).to.deep.equal([6, 8, 10, 12]);
  });

  it('Gathered work does pieces side by side, as many as it may', async () => {
    const work = batcher({ most: 1, atOnce: 2 });
    for (const item of [1, 2, 3]) void work.add(item);
    await settled();
    expect(pieces).to.deep.equal([[1], [2]]);
    ends[1]?.();
    await settled();
    expect(pieces).to.deep.equal([[1], [2], [3]]);
  });

  it('A failed piece of batched work fails for each item in it, and the next piece still runs', async () => {
    const work = batcher({ most: 2 });
    const failing = [1, 2].map((item) => work.add(item).catch((error: Error) => error.message));
    const next = work.add(3);
    await settled();
    ends[0]?.(new Error('away'));
    expect(await Promise.all(failing)).to.deep.equal(['away', 'away']);
    await settled();
    ends[1]?.();
    expect(await next).to.equal(6);
  });

  it('Gathered work with a quiet time waits for items that arrive one by one, and not for a full piece', async () => {
    const work = batcher({ most: 3, quietMs: 1_000 });
    void work.add(1);
    await settled();
    void work.add(2);
    await settled();
    expect(pieces).to.deep.equal([]);
    await eventually(() => pieces.length > 0, 'the quiet');
    expect(pieces).to.deep.equal([[1, 2]]);
    ends[0]?.();
    const full = batcher({ most: 2, quietMs: 60_000 });
    for (const item of [3, 4]) void full.add(item);
    await settled();
    expect(pieces.slice(1)).to.deep.equal([[3, 4]]);
  });
});
