import { z } from 'zod';
import { config } from '../../config/config.js';
import { type PlanName, planName } from '../../core/plans/plans.js';
import { type SubscriptionAnswer, subscriptionAnswer } from '../../platforms/stripe/stripe-answers.js';
import { findAtStripe } from '../../platforms/stripe/stripe-client.js';

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

export interface ProviderSubscription {
  id: string;
  customerId: string;
  /** The guild that its checkout was begun for (its metadata); undefined for one made in Stripe's dashboard. */
  guildId: string | undefined;
  /** Undefined for a state that we don't know. */
  status: SubscriptionStatus | undefined;
  /** The plan of its price; undefined for a price that the environment doesn't name. */
  plan: PlanName | undefined;
  currentPeriodEnd: Date;
  /** It is cancelled, and runs until the paid period ends. */
  cancelAtPeriodEnd: boolean;
}

/** Reads a subscription from Stripe; null when Stripe has none with this id. Throws BillingProviderUnavailable. */
export async function readSubscription(id: string): Promise<ProviderSubscription | null> {
  const found = await findAtStripe(subscriptionAnswer, (client) => client.subscriptions.retrieve(id));
  return found === null ? null : translate(found);
}

function translate(found: SubscriptionAnswer): ProviderSubscription {
  const items = found.items.data;
  const periodEnd = Math.max(0, ...items.map((item) => item.current_period_end));
  return {
    id: found.id,
    customerId: idOf(found.customer),
    guildId: found.metadata.guildId,
    status: subscriptionStatus.safeParse(found.status).data,
    plan: planOfPrices(items.map(({ price }) => price.id)),
    currentPeriodEnd: new Date(periodEnd * 1000),
    cancelAtPeriodEnd: found.cancel_at_period_end || found.cancel_at !== null,
  };
}

/** The highest plan among these prices. */
function planOfPrices(priceIds: readonly string[]): PlanName | undefined {
  const known: Partial<Record<PlanName, readonly string[]>> = config().stripe?.prices ?? {};
  return planName.options.findLast((plan) => known[plan]?.some((priceId) => priceIds.includes(priceId)));
}

/** Stripe sends a related object as an id, or as the whole object when it was expanded. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
