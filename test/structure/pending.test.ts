import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import '../../src/standing-jobs.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/lib/time.js';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { root } from './source-files.js';

const units = { d: dayMs, h: hourMs, min: minuteMs, s: secondMs };

/** An interval in the largest unit that divides it: `30 s`, `10 min`. */
function inWords(ms: number): string {
  const [unit, size] = Object.entries(units).find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / size} ${unit}`;
}

describe('The page of pending work', () => {
  it('The table of standing work lists the declared work, with its interval, its processes and its run at the start', () => {
    const page = readFileSync(join(root, 'docs/pending.md'), 'utf8');
    const [, section = ''] = /^## Standing work$(.*?)^## /ms.exec(page) ?? [];
    const listed = [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| (one|each) \| (yes|no) \| [^|]+ \|$/gm)];
    const declared = standingWork().filter(({ name }) => !name.startsWith('test-'));
    expect(listed.map(([, ...row]) => row.slice(0, 4).join(' '))).to.deep.equal(
      declared.map(({ name, everyMs, atStart, inEachProcess }) =>
        [name, inWords(everyMs), inEachProcess ? 'each' : 'one', atStart ? 'yes' : 'no'].join(' '),
      ),
    );
  });
});
