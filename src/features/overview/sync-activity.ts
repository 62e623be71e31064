import { countSince, type DailyCounter } from '../../core/counters/daily-counters.js';
import { dayMs } from '../../lib/time.js';

/** How the syncs of a guild are going (SPEC §4 overview). */
export interface SyncActivity {
  /** When a sync last changed something or failed, within the last 30 days. */
  lastRun: Date | null;
  /** Syncs of the last 24 hours that changed a member, and those that failed. */
  changed24h: number;
  failed24h: number;
}

/** What the counters of a guild, oldest first, say of its syncs. */
export function syncActivity(counters: readonly DailyCounter[], now: Date): SyncActivity {
  const since = new Date(now.getTime() - dayMs);
  return {
    lastRun: counters.findLast(({ lastSyncAt }) => lastSyncAt !== undefined)?.lastSyncAt ?? null,
    changed24h: countSince(counters, 'synced', since),
    failed24h: countSince(counters, 'syncFailed', since),
  };
}
