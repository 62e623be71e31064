import type Stripe from 'stripe';
import { z } from 'zod';
import { config } from '../../config.js';
import { type PlanName, planName } from '../../core/plans/plans.js';
import { findAtStripe } from '../../platforms/stripe/stripe-client.js';

/** What Stripe says of how a subscription stands. */
export const subscriptionStatus = z.enum([
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
]);
export type SubscriptionStatus = z.output<typeof subscriptionStatus>;

/** A subscription as Stripe says that it is now. */
export interface ProviderSubscription {
  id: string;
  customerId: string;
  /** Undefined when Stripe says something that we don't know. */
  status: SubscriptionStatus | undefined;
  /** The plan whose price it pays; undefined when it pays none that we know. */
  plan: PlanName | undefined;
  /** The end of what is paid for. */
  currentPeriodEnd: Date;
  /** It is cancelled already, and goes on until what is paid for is over. */
  cancelAtPeriodEnd: boolean;
}

/** Reads a subscription from Stripe; null when Stripe has none with this id. Throws BillingProviderUnavailable. */
export async function readSubscription(id: string): Promise<ProviderSubscription | null> {
  const found = await findAtStripe((client) => client.subscriptions.retrieve(id));
  return found === null ? null : translate(found);
}

function translate(found: Stripe.Subscription): ProviderSubscription {
  const items = found.items.data;
  // Since 2025 the period stands on the items.
  const periodEnd = Math.max(0, ...items.map((item) => item.current_period_end));
  return {
    id: found.id,
    customerId: idOf(found.customer),
    status: subscriptionStatus.safeParse(found.status).data,
    plan: planOfPrices(items.map(({ price }) => price.id)),
    currentPeriodEnd: new Date(periodEnd * 1000),
    cancelAtPeriodEnd: found.cancel_at_period_end || found.cancel_at !== null,
  };
}

/** The highest plan that is paid by one of these prices. */
function planOfPrices(priceIds: readonly string[]): PlanName | undefined {
  const known: Partial<Record<PlanName, readonly string[]>> = config().stripe?.prices ?? {};
  return planName.options.findLast((plan) => known[plan]?.some((priceId) => priceIds.includes(priceId)));
}

/** Stripe gives what belongs together as an id, or as the whole thing where that was asked for. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
