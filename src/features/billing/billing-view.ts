import { z } from 'zod';
import { config } from '../../config/config.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { planName, plans } from '../../core/plans/plans.js';
import { timestamp } from '../../lib/fields.js';
import type { BillingRecord } from './billing-record.js';
import { decidingSubscription } from './plan-in-force.js';
import { planPrice } from './plan-prices.js';
import { subscriptionStatus } from './provider-subscription.js';

const count = z.int().min(0);

/** A plan's limits (PLAN-3). */
export const planLimits = z
  .strictObject({
    groups: count,
    mappings: count,
    webhookEndpoints: count,
    logDays: count.describe('For how many days the log is kept.'),
    resyncEveryHours: count.nullable().describe('How often the automatic resync may run; null: never.'),
    rankAgeMinutes: count.describe('Within how many minutes the ranks of members are looked at again.'),
  })
  .meta({ id: 'PlanLimits' });

/** The answer to GET …/billing (PLAN-3). */
export const billingView = z
  .strictObject({
    plan: planName.describe('The plan in force.'),
    status: subscriptionStatus
      .nullable()
      .describe('Of the subscription; null without one. With trialing, active and past_due its plan is in force.'),
    provider: z.enum(['stripe']).nullable().describe('Where plans are bought; null where they cannot be.'),
    prices: z.array(planPrice).describe('Of the plans for sale, as far as they are known now.'),
    limits: planLimits,
    usage: z.strictObject({ groups: count, mappings: count, webhookEndpoints: count }),
    currentPeriodEnd: timestamp.nullable().describe('Until when is paid.'),
    cancelAtPeriodEnd: z.boolean().describe('The subscription is cancelled, and ends then.'),
  })
  .meta({ id: 'Billing' });

export type PlanUsage = z.input<typeof billingView>['usage'];

/** A guild's plan with its limits and usage, and the subscription that pays for it. */
export function viewBilling(
  { plan }: Guild,
  usage: PlanUsage,
  record: BillingRecord | null,
  prices: z.input<typeof planPrice>[],
): z.input<typeof billingView> {
  const subscription = decidingSubscription(record?.subscriptions ?? []);
  return {
    plan,
    status: subscription?.status ?? null,
    provider: config().stripe === undefined ? null : 'stripe',
    prices,
    limits: { ...plans[plan] },
    usage,
    currentPeriodEnd: subscription?.currentPeriodEnd.toISOString() ?? null,
    cancelAtPeriodEnd: subscription?.cancelAtPeriodEnd ?? false,
  };
}
