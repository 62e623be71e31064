import { clock } from '../../lib/clock.js';
import { eachPart } from '../../lib/patient-work.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { confirmGoneAccounts } from './account-gone.js';
import { refreshNames } from './account-names.js';
import { sendNoticesLeft } from './account-notices.js';
import { settleAccountsLeft } from './account-settling.js';
import { linkDueMembers } from './late-links.js';
import { beginDueReadings } from './trait-readings.js';

/** A live process has settled its own changes by then. */
const leftAfterMs = 30 * secondMs;

/** Killed processes' leftovers, and links that waited for an account's age. */
standing({
  name: 'settle-accounts',
  everyMs: minuteMs,
  atStart: true,
  async run(signal) {
    const before = new Date(clock.epochMs() - leftAfterMs);
    await eachPart(
      signal,
      () => settleAccountsLeft(before, signal),
      () => sendNoticesLeft(before, signal),
      () => linkDueMembers(signal),
    );
  },
});

/** Deleted, banned or returned Roblox accounts, and changed names (ROBLOX-10, VER-33). */
standing({
  name: 'watch-accounts',
  everyMs: minuteMs,
  atStart: false,
  async run(signal) {
    await eachPart(
      signal,
      () => confirmGoneAccounts(clock.now(), signal),
      () => refreshNames(clock.now(), signal),
    );
  },
});

/** Unread account traits that mappings need, at the pace that Roblox allows (ROBLOX-20). */
standing({
  name: 'read-traits',
  everyMs: minuteMs,
  atStart: false,
  run: (signal) => beginDueReadings(signal),
});
