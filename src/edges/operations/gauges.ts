import { container } from '@sapphire/framework';
import { Gauge } from 'prom-client';
import { planName } from '../../core/plans/plans.js';
import { countPendingSyncs } from '../../features/members/pending-syncs.js';
import { sampleRankAges } from '../../features/rank-watch/rank-age.js';
import { rankTargetMs } from '../../features/rank-watch/rank-target.js';
import { countWatchedGroups } from '../../features/rank-watch/watched-group-counts.js';
import { countResyncs } from '../../features/sync/resync/resync-service.js';
import { oldestDueSeconds, openDeliveries } from '../../features/webhooks/delivery-metrics.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { metrics } from '../../lib/metrics.js';
import { secondMs } from '../../lib/time.js';
import { shardCounts } from '../../platforms/discord/gateway-state.js';
import { invalidRequestStats } from '../../platforms/discord/rest/invalid-request-guard.js';
import { lanesOf } from '../../platforms/discord/rest/request-lanes.js';
import { missingShards } from '../../platforms/discord/shard-rows.js';
import { jobStats } from '../../platforms/jobs/runs.js';
import { robloxStats } from '../../platforms/roblox/roblox-host.js';
import { currentWarnings } from './readiness.js';

/** Each gauge is read when `/metrics` is requested, so nothing is counted twice. */
function gauge(
  name: string,
  help: string,
  labelNames: string[],
  collect: (gauge: Gauge) => void | Promise<void>,
): void {
  new Gauge({
    name: `rolelink_${name}`,
    help,
    labelNames,
    registers: [metrics],
    async collect() {
      this.reset();
      // A database failure must not hold back the other metrics.
      await Promise.resolve(collect(this)).catch((error) => logger.warn({ err: error, name }, 'gauge not read'));
    },
  });
}

/** Adds this process's platforms, queues and jobs to `/metrics`. Called once, at boot. */
export function registerGauges(): void {
  gauge('discord_invalid_requests', 'Answers 401, 403 and 429 of Discord in the last ten minutes.', [], (it) =>
    it.set(invalidRequestStats().recent),
  );
  gauge('gateway_shards', 'Shards of this process, and how many of them are connected now.', ['state'], (it) => {
    const { connected, all } = shardCounts();
    it.set({ state: 'connected' }, connected);
    it.set({ state: 'all' }, all);
  });
  gauge('shard_gaps', 'Ranges of shards that no process has now. Of all processes.', [], async (it) =>
    it.set((await missingShards()).length),
  );
  gauge('discord_waiting_calls', 'Calls that wait in their lane.', ['lane'], (it) => {
    for (const [lane, calls] of Object.entries(lanesOf(container.client.rest).stats.waiting)) it.set({ lane }, calls);
  });
  const waitHelp = 'The longest wait of a call to Discord for its turn in the last minute.';
  gauge('discord_longest_wait_seconds', waitHelp, ['lane'], (it) => {
    for (const [lane, ms] of Object.entries(lanesOf(container.client.rest).stats.longestMs))
      it.set({ lane }, ms / secondMs);
  });
  gauge('roblox_requests', 'Requests to Roblox since boot, by outcome.', ['host', 'kind'], (it) => {
    for (const [host, counts] of Object.entries(robloxStats().byHost)) {
      for (const kind of ['requests', 'retries', 'failures'] as const) it.set({ host, kind }, counts[kind]);
    }
  });
  gauge('roblox_breaker_open', 'Whether a host of Roblox is left alone because it keeps failing.', ['host'], (it) => {
    const { byHost, breakerOpen } = robloxStats();
    for (const host of Object.keys(byHost)) it.set({ host }, breakerOpen.some((open) => open === host) ? 1 : 0);
  });
  gauge('webhook_backlog', 'Webhook deliveries that are not over, of all processes.', ['state'], async (it) => {
    const { pending, retrying } = await openDeliveries();
    it.set({ state: 'pending' }, pending);
    it.set({ state: 'retrying' }, retrying);
  });
  gauge('webhook_oldest_due_seconds', 'For how long the delivery due longest has been due.', [], async (it) =>
    it.set(await oldestDueSeconds()),
  );
  const agesHelp = 'How long ago the ranks of linked people were looked at, by plan; of 1,000 people at random.';
  gauge('rank_age_seconds', agesHelp, ['plan', 'quantile'], async (it) => {
    for (const [plan, ages] of await sampleRankAges()) {
      const sorted = ages.sort((a, b) => a - b);
      for (const quantile of [0.5, 0.95, 1]) {
        it.set({ plan, quantile }, sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0);
      }
    }
  });
  gauge('rank_age_target_seconds', 'How old ranks may get by the plan.', ['plan'], (it) => {
    for (const plan of planName.options) it.set({ plan }, rankTargetMs(plan) / secondMs);
  });
  const groupsHelp =
    'Groups whose ranks are watched, by what tells of changes first: their own log, counts, or people.';
  gauge('watched_groups', groupsHelp, ['by'], async (it) => {
    for (const [by, groups] of Object.entries(await countWatchedGroups())) it.set({ by }, groups);
  });
  registerSyncGauges();
  gauge('jobs', 'Runs of each job in this process since boot; running: now.', ['job', 'state'], (it) => {
    for (const [job, stats] of Object.entries(jobStats())) {
      for (const state of ['running', 'completed', 'failed'] as const) it.set({ job, state }, stats[state]);
    }
  });
}

/** Platform-wide sync state: each process reports the same values. */
function registerSyncGauges(): void {
  gauge('syncs_owed', 'Members who are owed a sync; due: now. Of all processes.', ['state'], async (it) => {
    const { owed, due } = await countPendingSyncs(clock.now());
    it.set({ state: 'all' }, owed);
    it.set({ state: 'due' }, due);
  });
  gauge('sync_oldest_due_seconds', 'For how long the sync due longest has been due.', [], async (it) => {
    const now = clock.now();
    const { oldestDueAt } = await countPendingSyncs(now);
    it.set(oldestDueAt === null ? 0 : (now.getTime() - oldestDueAt.getTime()) / secondMs);
  });
  gauge('resyncs', 'Resyncs of whole servers that are not over. Of all processes.', ['state'], async (it) => {
    const { queued, running, waiting, awaitingConfirmation } = await countResyncs(clock.now());
    it.set({ state: 'queued' }, queued);
    it.set({ state: 'running' }, running);
    it.set({ state: 'waiting' }, waiting);
    it.set({ state: 'awaiting_confirmation' }, awaitingConfirmation);
  });
  gauge('warnings', 'The warnings of /readyz.', ['code'], async (it) => {
    for (const code of await currentWarnings()) it.set({ code }, 1);
  });
}
