import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { SingleFlight } from '../../src/lib/single-flight.js';

describe('Shared reads', () => {
  let began: string[];
  let ends: ((error?: Error) => void)[];
  let reads: SingleFlight<string>;

  beforeEach(() => {
    began = [];
    ends = [];
    reads = new SingleFlight((key) => {
      began.push(key);
      const found = `${key}${began.length}`;
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve(found) : reject(error)));
      });
    });
  });

  it('A shared read begins after its question, and serves all callers with the same question', async () => {
    const first = reads.get('a');
    const later = [reads.get('a'), reads.get('a')];
    const other = reads.get('b');
    expect(began).to.deep.equal(['a', 'b']);
    ends[0]?.();
    expect(await first).to.equal('a1');
    await turn();
    expect(began).to.deep.equal(['a', 'b', 'a']);
    ends[1]?.();
    ends[2]?.();
    expect(await Promise.all(later)).to.deep.equal(['a3', 'a3']);
    expect(await other).to.equal('b2');
  });

  it('A shared read is repeated each time, also after a failure', async () => {
    const failing = reads.get('a').catch((error: Error) => error.message);
    const next = reads.get('a');
    ends[0]?.(new Error('away'));
    expect(await failing).to.equal('away');
    await turn();
    ends[1]?.();
    expect(await next).to.equal('a2');
    const last = reads.get('a');
    ends[2]?.();
    expect(await last).to.equal('a3');
  });

  it('A shared read without an answer is given up, and the next caller reads again', async () => {
    let began = 0;
    const limited = new SingleFlight((key) => {
      began += 1;
      return began === 1 ? new Promise<string>(() => {}) : Promise.resolve(key);
    }, 20);
    const [first, second] = [limited.get('a'), limited.get('a')];
    expect(await first.catch((error: Error) => error.message)).to.equal('No answer in 20 ms.');
    expect(await second).to.equal('a');
  });
});
