import { z } from 'zod';
import { countSince, readPlatformCounters } from '../../core/counters/daily-counters.js';
import { countGuilds } from '../../core/guilds/guild-search.js';
import { type PlanName, planName } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { dayMs } from '../../lib/time.js';
import { jobStats } from '../../platforms/jobs/runs.js';
import { countAccounts } from '../accounts/account-service.js';
import { countAllLinkedMembers } from '../members/linked-counts.js';
import { countPendingSyncs } from '../members/pending-syncs.js';
import { countErasures } from '../privacy/erasure-store.js';
import { countResyncs } from '../sync/resync/resync-service.js';
import { attemptCounts, oldestDueSeconds, openDeliveries } from '../webhooks/delivery-metrics.js';
import { processStateView, readProcessState } from './process-state.js';

const count = z.int().nonnegative();

/** Figures about the whole platform (API-50). Every number comes from an index, or is stored. */
export const platformMetricsView = z
  .strictObject({
    guilds: z.strictObject({
      total: count.describe('All that the bot is or was in.'),
      present: count.describe('Those that it is in now.'),
      suspended: count.describe('Of all of them.'),
      byPlan: z.strictObject({ free: count, pro: count, enterprise: count }).describe('Of those that it is in now.'),
    }),
    accounts: z.strictObject({
      linked: count,
      unsettled: count.describe('Changes that have not reached every guild of the person yet.'),
    }),
    members: z.strictObject({ linked: count.describe('A person linked in several guilds counts in each.') }),
    verifications: z
      .strictObject({ completed24h: count, completed7d: count, failed24h: count, failed7d: count })
      .describe('The hour in which a period begins counts whole.'),
    resyncs: z.strictObject({
      queued: count,
      running: count,
      waiting: count.describe('For a platform that does not answer.'),
      awaitingConfirmation: count.describe('For an admin of the guild.'),
      completed24h: count,
      failed24h: count,
      cancelled24h: count,
    }),
    syncs: z.strictObject({
      owed: count.describe('Members with a pending sync, including postponed ones after a failure.'),
      due: count,
      oldestDueAt: timestamp.nullable(),
    }),
    deliveries: z.strictObject({
      pending: count.describe('Webhook deliveries that were never attempted, those that are held back included.'),
      retrying: count,
      oldestDueSeconds: z.number().describe('For how long the oldest one has been due.'),
      attempts: z
        .record(z.string(), count)
        .describe('Attempts of the process that answers since it started, by how they ended.'),
    }),
    erasures: z.strictObject({ open: count }),
    jobs: z
      .record(z.string(), z.strictObject({ running: count, completed: count, failed: count }))
      .describe('The runs of each job in the process that answers, since it started.'),
    process: processStateView,
  })
  .meta({ id: 'PlatformMetrics' });

type PlatformMetrics = z.input<typeof platformMetricsView>;

export async function readPlatformMetrics(): Promise<PlatformMetrics> {
  const now = clock.now();
  const [guilds, accounts, linked, verifications, resyncs, syncs, deliveries, oldest, open] = await Promise.all([
    guildNumbers(),
    countAccounts(),
    countAllLinkedMembers(),
    verificationNumbers(now),
    countResyncs(now),
    countPendingSyncs(now),
    openDeliveries(),
    oldestDueSeconds(now),
    countErasures(),
  ]);
  return {
    guilds,
    accounts,
    verifications,
    resyncs,
    members: { linked },
    syncs: { ...syncs, oldestDueAt: syncs.oldestDueAt?.toISOString() ?? null },
    deliveries: { ...deliveries, oldestDueSeconds: oldest, attempts: attemptCounts() },
    erasures: { open },
    jobs: jobStats(),
    process: readProcessState(now),
  };
}

async function guildNumbers(): Promise<PlatformMetrics['guilds']> {
  const counts = await countGuilds();
  const total = (among: (group: (typeof counts)[number]) => boolean): number =>
    counts.filter(among).reduce((sum, group) => sum + group.count, 0);
  const ofPlan = (plan: PlanName) => total((group) => group.present && group.plan === plan);
  const { free, pro, enterprise } = planName.enum;
  return {
    total: total(() => true),
    present: total(({ present }) => present),
    suspended: total(({ state }) => state === 'suspended'),
    byPlan: { free: ofPlan(free), pro: ofPlan(pro), enterprise: ofPlan(enterprise) },
  };
}

async function verificationNumbers(now: Date): Promise<PlatformMetrics['verifications']> {
  const counters = await readPlatformCounters(now);
  const [day, week] = [new Date(now.getTime() - dayMs), new Date(now.getTime() - 7 * dayMs)];
  return {
    completed24h: countSince(counters, 'verified', day),
    completed7d: countSince(counters, 'verified', week),
    failed24h: countSince(counters, 'verificationFailed', day),
    failed7d: countSince(counters, 'verificationFailed', week),
  };
}
