import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { ReadThroughCache } from '../../../src/platforms/roblox/read-through-cache.js';

describe('Recent reads', () => {
  let asked: string[];
  let answers: ((value: string | null | Error) => void)[];
  let reads: ReadThroughCache<string>;

  beforeEach(() => {
    clock.freeze(new Date());
    asked = [];
    answers = [];
    reads = new ReadThroughCache({ max: 2, ttlMs: 60_000 }, (key) => {
      asked.push(key);
      return new Promise((resolve, reject) => {
        answers.push((value) => (value instanceof Error ? reject(value) : resolve(value)));
      });
    });
  });

  it('A recent read is answered from memory until its time is up', async () => {
    const first = reads.read('a');
    answers[0]?.('one');
    expect(await first).to.equal('one');
    clock.advance(59_000);
    expect(await reads.read('a')).to.equal('one');
    clock.advance(2_000);
    const second = reads.read('a');
    answers[1]?.('two');
    expect(await second).to.equal('two');
    expect(asked).to.deep.equal(['a', 'a']);
  });

  // ROBLOX-25
  it('A reader that doesn’t yield never waits for the request of one that does', async () => {
    const yielding = reads.read('a', { yields: true });
    const others = [reads.read('a'), reads.read('a'), reads.read('a', { yields: true })];
    answers[1]?.('new');
    expect(await Promise.all(others)).to.deep.equal(['new', 'new', 'new']);
    answers[0]?.('old');
    expect(await yielding).to.equal('old');
    expect(await reads.read('a')).to.equal('new');
    expect(asked).to.have.length(2);
  });

  it('Concurrent readers of one key share one request', async () => {
    const both = [reads.read('a'), reads.read('a')];
    answers[0]?.('one');
    expect(await Promise.all(both)).to.deep.equal(['one', 'one']);
    expect(asked).to.have.length(1);
  });

  it('A fresh read does not take over one that is under way, and both finish', async () => {
    const earlier = reads.read('a');
    const fresh = reads.read('a', { fresh: true });
    answers[1]?.('new');
    expect(await fresh).to.equal('new');
    answers[0]?.('old');
    expect(await earlier).to.equal('old');
    expect(await reads.read('a')).to.equal('new');
  });

  it('Recent reads remember neither failures nor that there is nothing', async () => {
    const failed = reads.read('a').catch((error: Error) => error.message);
    answers[0]?.(new Error('down'));
    expect(await failed).to.equal('down');
    const absent = reads.read('a');
    answers[1]?.(null);
    expect(await absent).to.equal(null);
    clock.advance(2);
    const found = reads.read('a');
    answers[2]?.('one');
    expect(await found).to.equal('one');
  });

  it('A superseded read that finds nothing, or fails, is kept apart from the fresh one', async () => {
    const absent = reads.read('a');
    const failing = reads.read('b').catch((error: Error) => error.message);
    const fresh = [reads.read('a', { fresh: true }), reads.read('b', { fresh: true })];
    answers[0]?.(null);
    answers[1]?.(new Error('down'));
    answers[2]?.('new a');
    answers[3]?.('new b');
    expect(await absent).to.equal(null);
    expect(await failing).to.equal('down');
    expect(await Promise.all(fresh)).to.deep.equal(['new a', 'new b']);
    expect(await reads.read('a')).to.equal('new a');
  });

  it('Readers get their answer although other keys pushed theirs out of memory', async () => {
    const all = ['a', 'b', 'c'].map((key) => reads.read(key));
    for (const answer of answers) answer('here');
    expect(await Promise.all(all)).to.deep.equal(['here', 'here', 'here']);
  });
});
