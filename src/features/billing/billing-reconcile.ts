import { trusted } from 'mongoose';
import { config } from '../../config/config.js';
import { guildsWithOwnPlan } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { hourMs } from '../../lib/time.js';
import type { Lease } from '../../platforms/database/lease.js';
import { standing } from '../../platforms/jobs/standing.js';
import { type BillingRecord, BillingRecords } from './billing-record.js';
import { settleCheckout } from './checkout-settling.js';
import { isOver } from './plan-in-force.js';
import { applyPlan, openRecord, syncSubscription, withBillingLease, writeRecord } from './subscription-sync.js';

const comparing = new SeparateWork('billing');

/** Subscriptions with lost events, and checkouts with an unreported payment (PLAN-11). */
standing({
  name: 'reconcile-billing',
  everyMs: hourMs,
  atStart: false,
  run: (signal) => reconcileBilling(clock.now(), signal),
});

/**
 * Compares due records with Stripe. Events can be lost, and a crash can come between storing a subscription and
 * changing the plan. The next run repeats failures.
 */
export async function reconcileBilling(now: Date, signal: AbortSignal): Promise<void> {
  if (config().stripe === undefined) return;
  const due = BillingRecords.acrossGuilds
    .find({ nextSyncAt: trusted({ $ne: null, $lte: now }) }, { guildId: 1 })
    .lean<Pick<BillingRecord, 'guildId'>>();
  for await (const { guildId } of due.cursor()) {
    if (signal.aborted) return;
    await comparing.on(guildId, () => withBillingLease(guildId, (lease) => reconcileGuild(guildId, lease)));
  }
}

/**
 * Applies plans from stored subscriptions at boot: `DEFAULT_PLAN` may have changed, and older versions stored it with
 * every guild. Makes no call to Stripe.
 */
export async function applyStoredPlans(): Promise<void> {
  const paying = BillingRecords.acrossGuilds.find({ 'subscriptions.0': trusted({ $exists: true }) });
  const done = new Set<string>();
  for await (const record of paying.lean<BillingRecord>().cursor()) {
    await applyPlan(record);
    done.add(record.guildId);
  }
  for (const guildId of await guildsWithOwnPlan()) {
    if (!done.has(guildId)) await applyPlan({ guildId, subscriptions: [] });
  }
}

async function reconcileGuild(guildId: string, lease: Lease): Promise<void> {
  const { record } = await settleCheckout(await openRecord(guildId), lease);
  for (const { subscriptionId } of record.subscriptions.filter((each) => !isOver(each))) {
    await syncSubscription(guildId, subscriptionId, lease);
  }
  // Also without news from Stripe: the next check's time must be set.
  await applyPlan(await writeRecord(await openRecord(guildId), lease, { lastSyncedAt: clock.now() }));
}
