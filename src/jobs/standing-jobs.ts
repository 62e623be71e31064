import { z } from 'zod';
import { catchUpGuilds } from '../admin/guild-catch-up.js';
import { purgeAuditLog } from '../audit/audit-retention.js';
import { purgeSessions } from '../auth/session-service.js';
import { purgeTokens } from '../auth/token-service.js';
import { purgeBillingEvents } from '../billing/billing-events.js';
import { reconcileBilling } from '../billing/billing-reconcile.js';
import { purgeLeases } from '../database/lease-store.js';
import { purgeRateLimits } from '../http/rate-limits.js';
import { settleAccountsLeft } from '../members/account-settling.js';
import { purgeCounters } from '../overview/daily-counters.js';
import { erasures } from '../privacy/erasure.js';
import { runDueSyncs } from '../sync/background-syncs.js';
import { endUnconfirmed, purgeResyncs, wakeOpenResyncs } from '../sync/resync-job.js';
import { startDueResyncs } from '../sync/resync-schedule.js';
import { purgeVerifications } from '../verification/verification-store.js';
import { deliverWebhooks } from '../webhooks/delivery-job.js';
import { purgeDeliveries } from '../webhooks/delivery-store.js';
import { relayEvents } from '../webhooks/relay-job.js';
import { defineJob } from './define-job.js';
import { every, wake } from './wake.js';

const nothing = z.strictObject({});

/** Syncs that failed for a reason that passes, and those that a killed process left (SPEC §6.2). */
const retrySyncs = defineJob({
  name: 'retry-syncs',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => runDueSyncs(signal),
});

/** Accounts whose change a killed process had not carried to every guild. */
const settleAccounts = defineJob({
  name: 'settle-accounts',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => settleAccountsLeft(new Date(Date.now() - 30_000), signal),
});

/** Resyncs whose process was killed, or that waited for a platform, and those that nobody confirms. */
const resumeResyncs = defineJob({
  name: 'resume-resyncs',
  data: nothing,
  concurrency: 1,
  async run() {
    const now = new Date();
    await endUnconfirmed(now);
    await wakeOpenResyncs(now);
  },
});

/** The automatic resyncs of the guilds whose plan and settings have them (SPEC §4). */
const automaticResyncs = defineJob({
  name: 'automatic-resyncs',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => startDueResyncs(new Date(), signal),
});

/** Subscriptions whose events were lost, and checkouts of whose payment nobody told (SPEC §4). */
const reconcileBillings = defineJob({
  name: 'reconcile-billing',
  data: nothing,
  concurrency: 1,
  run: (_data, { signal }) => reconcileBilling(new Date(), signal),
});

/** What is over: the embedded database removes nothing by itself (DESIGN: no TTL monitor). */
const purgeExpired = defineJob({
  name: 'purge-expired',
  data: nothing,
  concurrency: 1,
  async run(_data, { signal }) {
    const now = new Date();
    await Promise.all([
      purgeAuditLog(now, signal),
      purgeSessions(now),
      purgeTokens(now),
      purgeLeases(now),
      purgeRateLimits(now),
      purgeVerifications(now),
      purgeResyncs(now),
      purgeCounters(now),
      purgeBillingEvents(now),
      purgeDeliveries(now),
    ]);
  },
});

/** Wakes the jobs that always have to look whether there is something to do. */
export async function scheduleStandingJobs(): Promise<void> {
  await every(retrySyncs, 5_000);
  await every(settleAccounts, 30_000);
  await every(resumeResyncs, 10_000);
  await every(automaticResyncs, 5 * 60_000);
  await every(relayEvents, 5_000);
  await every(catchUpGuilds, 30_000);
  await every(erasures, 5_000);
  await every(reconcileBillings, 60 * 60_000);
  await every(purgeExpired, 10 * 60_000);
  await every(deliverWebhooks, 5_000);
  await wake(deliverWebhooks, {});
  await wakeOpenResyncs(new Date());
  await wake(relayEvents, {});
}
