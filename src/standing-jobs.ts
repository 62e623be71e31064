import { purgeSessions } from './core/auth/session-service.js';
import { purgeCounters } from './core/counters/daily-counters.js';
import { purgeAuditLog } from './core/guilds/log-retention.js';
import { purgeKeyedRequests } from './edges/http/idempotency.js';
import { purgeRateLimits } from './edges/http/rate-limits.js';
import { purgeNeverLinked } from './features/members/member-service.js';
import { purgeImports } from './features/people-import/people-import-service.js';
import { purgeRankChanges } from './features/ranking/rank-changes-of-person.js';
import { purgeRemovals } from './features/sync/member/removal-limit.js';
import { purgePreviews } from './features/sync/preview/stored-previews.js';
import { purgeResyncs } from './features/sync/resync/resync-job.js';
import { purgeTokens } from './features/tokens/token-service.js';
import { purgeVerifications } from './features/verification/verification-store.js';
import { purgeDeliveries } from './features/webhooks/delivery-store.js';
import { clock } from './lib/clock.js';
import { minuteMs } from './lib/time.js';
import { purgeLeases } from './platforms/database/lease-store.js';
import { purgeRemembered } from './platforms/database/remembered.js';
import { standing } from './platforms/jobs/standing.js';

// Each feature declares its own standing work. These modules have no other importer.
import './core/guilds/member-counts.js';
import './edges/interactions/join-message.js';
import './edges/interactions/welcome.js';
import './edges/operations/doctor.js';
import './edges/operations/linked-role-records.js';
import './features/accounts/account-jobs.js';
import './features/billing/billing-reconcile.js';
import './features/installation/game-key.js';
import './features/guild-views/guild-levels.js';
import './features/people-import/people-import-worker.js';
import './features/privacy/erasure.js';
import './features/ranking/rank-settling.js';
import './features/sync/member/background-syncs.js';
import './features/sync/resync/resync-schedule.js';
import './features/verification/verification-jobs.js';
import './features/webhooks/relay-job.js';

/** Removes all features' expired data: the embedded database has no TTL indexes. */
standing({
  name: 'purge-expired',
  everyMs: 10 * minuteMs,
  atStart: false,
  async run(signal) {
    const now = clock.now();
    await Promise.all([
      purgeAuditLog(now, signal),
      purgeSessions(now),
      purgeTokens(now),
      purgeLeases(now),
      purgeNeverLinked(now),
      purgeRateLimits(now),
      purgeKeyedRequests(now),
      purgeVerifications(now),
      purgeResyncs(now),
      purgeImports(now),
      purgeRankChanges(now),
      purgeRemovals(now),
      purgePreviews(now),
      purgeRemembered(now),
      purgeCounters(now),
      purgeDeliveries(now),
    ]);
  },
});
