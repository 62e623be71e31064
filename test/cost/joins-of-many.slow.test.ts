import { expect } from 'chai';
import { pollDueSyncs } from '../../src/features/sync/member/background-syncs.js';
import { minuteMs, secondMs } from '../../src/lib/time.js';
import { buildGroupGuild, mapTo, rankFrom } from '../features/sync/sync-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { buildCrowd, joinAtOnce } from './join-crowd.js';

/** Discord edits one a second, so most wait longer than a pending sync stays claimed. */
const count = 180;

describe('The cost of a crowd that waits for Discord', () => {
  withPromptSyncs();

  /** Takes due syncs as a service's schedule does, until the returned function is called. */
  function claimDueSyncs(): () => void {
    const stopping = new AbortController();
    const timer = setInterval(() => void pollDueSyncs(stopping.signal), 5 * secondMs);
    return () => {
      clearInterval(timer);
      stopping.abort();
    };
  }

  it(`Each of ${count} verified people costs at most 14 commands, no read from Discord and a tenth of a call to Roblox`, async function () {
    this.timeout(8 * minuteMs);
    const guild = await buildGroupGuild();
    await mapTo(guild, rankFrom(guild, 100));
    const people = await buildCrowd(guild, count, { verified: true });
    const endTaking = claimDueSyncs();
    try {
      const cost = await joinAtOnce(guild, people, { withinMs: 7 * minuteMs });
      const words = JSON.stringify(cost);
      expect(cost.memberReads, words).to.equal(0);
      expect(cost.perJoin, words).to.be.at.most(14);
      expect(cost.robloxCalls, words).to.be.at.most(count / 10);
      expect(cost.syncs).to.deep.equal(cost.syncs.map(() => 1));
    } finally {
      endTaking();
    }
  });
});
