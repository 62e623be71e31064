import { expect } from 'chai';
import { readiness } from '../../../src/edges/operations/readiness.js';
import { claimBatch } from '../../../src/features/rank-watch/guild-batch.js';
import { rankIssue } from '../../../src/features/rank-watch/rank-age.js';
import { runLoop, standingStillMs } from '../../../src/features/rank-watch/watch-loops.js';
import { WatchedGuilds } from '../../../src/features/rank-watch/watched-models.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs, secondMs } from '../../../src/lib/time.js';
import { eventually } from '../../support/build.js';
import { type LoggedLine, onLogLine } from '../../support/logged-lines.js';
import { world } from '../../support/world.js';
import { beginAlone } from './watch-setup.js';

describe('A rank watch that stands still', () => {
  before(() => world());
  afterEach(() => clock.restore());

  // RANK-38
  it('Another process takes the rank watch over within 31 seconds after a kill in a batch', async () => {
    await beginAlone();
    const now = clock.now();
    await WatchedGuilds.create({ _id: '1', turnAt: now, behind: false, claimedUntil: new Date(0) });
    expect((await claimBatch(now))?._id).to.equal('1');
    expect(await claimBatch(new Date(now.getTime() + 29 * secondMs))).to.equal(null);
    expect((await claimBatch(new Date(now.getTime() + 31 * secondMs)))?._id).to.equal('1');
    await WatchedGuilds.deleteMany({});
  });

  // RANK-39
  it('The log, health and /readyz say that a loop has not come on, and nothing once it has', async () => {
    const lines: LoggedLine[] = [];
    const stop = onLogLine((line) => lines.push(JSON.parse(line)));
    const stopping = new AbortController();
    let letGo = () => {};
    let rounds = 0;
    const loop = runLoop(
      'test',
      () => {
        rounds += 1;
        return rounds === 1 ? new Promise((resolve) => (letGo = () => resolve(0))) : Promise.resolve(minuteMs);
      },
      stopping.signal,
    );
    const isTold = async () => (await readiness()).warnings.includes('rank_watch_standing_still');
    const fresh = { ageSeconds: 1, targetSeconds: 120, advice: null };
    try {
      clock.advance(119 * secondMs);
      expect([standingStillMs(), await isTold()]).to.deep.equal([null, false]);
      clock.advance(2 * secondMs);
      expect(await isTold()).to.equal(true);
      expect(rankIssue(fresh).map(({ code }) => code)).to.deep.equal(['ranks_stale']);
      await eventually(() => lines.some(({ msg }) => msg === 'rank watch stands still'), 'the line');
      letGo();
      await eventually(() => rounds === 2, 'the next round');
      expect(await isTold()).to.equal(false);
      expect(rankIssue(fresh)).to.deep.equal([]);
    } finally {
      stop();
      stopping.abort();
      letGo();
      await loop;
    }
  });
});
