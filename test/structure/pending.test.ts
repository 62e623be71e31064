import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import '../../src/standing-jobs.js';
import '../../src/features/rank-watch/rank-watch.js';
import type { Backoff } from '../../src/lib/backoff.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/lib/time.js';
import { pendingWork } from '../../src/platforms/database/pending.js';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { root } from './source-files.js';

const units = { d: dayMs, h: hourMs, min: minuteMs, s: secondMs };

/** An interval in the largest unit that divides it: `30 s`, `10 min`. */
function inWords(ms: number): string {
  const [unit, size] = Object.entries(units).find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / size} ${unit}`;
}

/** The waits after failures in words: `10 s, doubling up to 1 h`. */
function waitsInWords({ firstMs, factor = 2, longestMs }: Backoff): string {
  const growing = factor === 2 ? 'doubling' : 'tripling';
  return firstMs === longestMs ? inWords(firstMs) : `${inWords(firstMs)}, ${growing} up to ${inWords(longestMs)}`;
}

const page = readFileSync(join(root, 'docs/pending.md'), 'utf8');

describe('The page of pending work', () => {
  it('The table of standing work lists the declared work, with its interval, its processes and its run at the start', () => {
    const [, section = ''] = /^## Standing work$(.*?)^## /ms.exec(page) ?? [];
    const listed = [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| (one|each) \| (yes|no) \| [^|]+ \|$/gm)];
    const declared = standingWork().filter(({ name }) => !name.startsWith('test-'));
    expect(listed.map(([, ...row]) => row.slice(0, 4).join(' '))).to.deep.equal(
      declared.map(({ name, everyMs, atStart, inEachProcess }) =>
        [name, inWords(everyMs), inEachProcess ? 'each' : 'one', atStart ? 'yes' : 'no'].join(' '),
      ),
    );
  });

  it('The table of pending work lists the declared work, with its path, its claim and its waits after failures', () => {
    const [, section = ''] = /^## Pending work by due time$(.*?)^## /ms.exec(page) ?? [];
    const listed = [...section.matchAll(/^\| ([^|]+) \| `([^`]+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)];
    const declared = pendingWork()
      .filter(({ what }) => !what.startsWith('test'))
      .map(({ what, collection, path, claimMs = 0, backoff = { firstMs: claimMs, longestMs: claimMs } }) => ({
        row: [what, `${collection}.${path}`, claimMs === 0 ? 'its lease' : inWords(claimMs)].join(' | '),
        waits: waitsInWords(backoff),
      }))
      .sort((one, other) => one.row.localeCompare(other.row));
    expect(listed.map(([, ...cells]) => cells.slice(0, 3).join(' | '))).to.deep.equal(declared.map(({ row }) => row));
    for (const [index, { waits }] of declared.entries()) {
      const said = listed[index]?.[4] ?? '';
      expect(said === waits || said.startsWith(`${waits}, `), `${said}, for ${waits}`).to.equal(true);
    }
  });
});
