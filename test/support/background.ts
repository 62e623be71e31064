import { makeSyncsDueNow, onSyncPending } from '../../src/features/members/pending-syncs.js';
import { runDueSyncs, stopBackgroundSyncs, syncSoon } from '../../src/features/sync/member/background-syncs.js';
import { relayNow } from '../../src/features/webhooks/relay-job.js';
import { jobStats } from '../../src/platforms/jobs/runs.js';
import { eventually } from './build.js';

/** Runs pending syncs as soon as they are enqueued, as a running service does, for the enclosing block's tests. */
export function withPromptSyncs(): void {
  let end: () => void;
  before(() => {
    end = onSyncPending(syncSoon);
  });
  after(() => end());
}

/** Runs all guilds' due syncs, and waits for them. */
export const runDue = (): Promise<void> => runDueSyncs(new AbortController().signal);

/** Runs a guild's pending syncs now, due or not, and waits for them. */
export async function runPendingSyncs(guildId: string): Promise<void> {
  await makeSyncsDueNow(guildId);
  await runDue();
}

/** Empties all outboxes now, as a running service does every few seconds. */
export const emptyOutboxes = (): Promise<void> => relayNow(new AbortController().signal);

/** Waits until no job and no background sync runs in this process. */
export async function backgroundIsQuiet(): Promise<void> {
  await stopBackgroundSyncs();
  await eventually(() => Object.values(jobStats()).every(({ running }) => running === 0), 'the end of all jobs');
}
