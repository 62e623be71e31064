import { expect } from 'chai';
import { readableLine } from '../../src/lib/readable-log.js';

const time = '2026-01-02T03:04:05.678Z';

describe('Lines of the log on a terminal', () => {
  it('A line on a terminal has time, level, message and the other fields', () => {
    const line = JSON.stringify({ level: 40, time, msg: 'gateway lost', shard: 0, why: 'a b' });
    expect(readableLine(`${line}\n`)).to.equal('03:04:05 WARN  gateway lost  shard=0  why=a b\n');
  });

  it('A line on a terminal has the stack of an error below', () => {
    const line = JSON.stringify({
      level: 50,
      time,
      msg: 'job failed',
      err: { message: 'boom', stack: 'Error: boom\nat x' },
    });
    expect(readableLine(line)).to.equal('03:04:05 ERROR job failed\n    Error: boom\n    at x\n');
  });

  it('A line on a terminal stays as it is when it is no JSON object', () => {
    for (const line of ['not json\n', '3\n']) expect(readableLine(line)).to.equal(line);
  });
});
