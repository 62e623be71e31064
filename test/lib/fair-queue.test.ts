import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { FairQueue } from '../../src/lib/fair-queue.js';

describe('Fair queue', () => {
  let started: string[];
  let ends: Map<string, () => void>;
  let queue: FairQueue;
  const add = (key: string, name: string) =>
    queue.add(key, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };

  beforeEach(() => {
    started = [];
    ends = new Map();
    queue = new FairQueue({ inAll: 3, perKey: 2 });
  });

  it('A fair queue limits the tasks that run of one key, and in all', async () => {
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    expect(started).to.deep.equal(['a1', 'a2']);
    for (const name of ['b1', 'b2']) add('b', name);
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
    await end('b1');
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'b2']);
  });

  it('A fair queue serves keys in turn, for any number of tasks per key', async () => {
    for (let n = 1; n <= 50; n += 1) add('a', `a${n}`);
    for (const name of ['b1', 'b2']) add('b', name);
    add('c', 'c1');
    await end('a1');
    await end('a2');
    await end('b1');
    expect(started.slice(0, 6)).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2', 'c1']);
  });

  it('A cleared queue drops the waiting tasks, and reports when nothing runs', async () => {
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    const cleared = queue.clear();
    await end('a1');
    await end('a2');
    await cleared;
    expect(started).to.deep.equal(['a1', 'a2']);
    add('a', 'later');
    expect(started).to.deep.equal(['a1', 'a2', 'later']);
  });

  it('A full key starts waiting tasks together when few are left, and a task without others before it immediately', async () => {
    queue = new FairQueue({ inAll: 10, perKey: 4, refillAt: 1 });
    for (let n = 1; n <= 7; n += 1) add('a', `a${n}`);
    for (const name of ['a1', 'a2']) await end(name);
    expect(started).to.have.length(4);
    await end('a3');
    expect(started.slice(4)).to.deep.equal(['a5', 'a6', 'a7']);
    await end('a4');
    add('a', 'alone');
    expect(started.slice(7)).to.deep.equal(['alone']);
  });
});
