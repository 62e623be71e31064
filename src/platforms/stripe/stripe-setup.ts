import { z } from 'zod';
import { callStripe, findAtStripe } from './stripe-client.js';
import { BillingProviderUnavailable } from './stripe-errors.js';
import { stripePackage } from './stripe-package.js';

const price = z.object({ id: z.string(), active: z.boolean() });
const endpoints = z.object({
  data: z.array(z.object({ url: z.string(), status: z.string(), enabled_events: z.array(z.string()) })),
});

/** The prices in this list that Stripe does not know or no longer sells. Throws BillingProviderUnavailable. */
export async function unusablePrices(ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => findAtStripe(price, (stripe) => stripe.prices.retrieve(id))));
  return ids.filter((_id, index) => found[index]?.active !== true);
}

/**
 * The event types in this list that Stripe does not send to `url`; all if no active endpoint has this address. Throws
 * BillingProviderUnavailable.
 */
export async function eventsNotSent(url: string, types: readonly string[]): Promise<string[]> {
  const { data } = await callStripe(endpoints, (stripe) => stripe.webhookEndpoints.list({ limit: 100 }));
  const sent = data
    .filter((endpoint) => endpoint.url === url && endpoint.status === 'enabled')
    .flatMap((one) => one.enabled_events);
  return sent.includes('*') ? [] : types.filter((type) => !sent.includes(type));
}

/** Whether Stripe failed because it rejects the secret key. */
export function refusesKey(error: unknown): boolean {
  return (
    error instanceof BillingProviderUnavailable &&
    error.cause instanceof stripePackage().errors.StripeAuthenticationError
  );
}
