import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { announceUpgrade, latestVersion, newerVersion, upgradePending } from '../database/data-version.js';
import { standing } from '../jobs/standing.js';
import { shardsOfOlder } from './shard-rows.js';

/** How often a process looks for a newer one that waits for its end. */
const lookEveryMs = 5 * secondMs;
/** More than a killed process counts. */
const awaitOlderMs = 2.5 * minuteMs;

/**
 * Waits until the processes with an older version of stored data have ended, so that none writes its documents beside
 * newer ones. They end by themselves once they see the announcement (ENV-93). Returns at once when nothing is to be
 * migrated. @throws DatabaseStartError if one is still at work after 2.5 minutes.
 */
export async function awaitOlderProcesses(): Promise<void> {
  const startedMs = clock.monotonicMs();
  let told = '';
  while (await upgradePending()) {
    await announceUpgrade();
    const older = (await shardsOfOlder()).join(', ');
    if (older === '') return;
    if (older !== told)
      logger.info({ shards: older }, 'an upgrade of the stored data waits for the older processes to end');
    told = older;
    if (clock.monotonicMs() - startedMs > awaitOlderMs) {
      throw new DatabaseStartError(
        `A process with an older Rolelink is still at work (shards ${older}), so its data can't be upgraded: stop it and start again.`,
      );
    }
    await delay(secondMs);
  }
}

let leave: ((says: string) => void) | undefined;

/** Resolves with a sentence when a newer process upgrades the data that this one shares (ENV-93). */
export function dataIsNewer(): Promise<string> {
  return new Promise((resolve) => {
    leave = resolve;
  });
}

async function lookForNewer(): Promise<void> {
  const newer = leave && (await newerVersion());
  if (newer === undefined) return;
  leave?.(
    `A newer Rolelink upgrades the stored data to version ${newer}, and this one knows ${latestVersion()}. ` +
      'Start the newer Rolelink for these shards too.',
  );
}

standing({ name: 'leave-newer-data', everyMs: lookEveryMs, atStart: true, inEachProcess: true, run: lookForNewer });
