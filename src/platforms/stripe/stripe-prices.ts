import { z } from 'zod';
import { secondMs } from '../../lib/time.js';
import { findAtStripe } from './stripe-client.js';

/** A page waits for it, and is useful without it. */
const timeoutMs = 2 * secondMs;

const price = z.object({
  currency: z.string().regex(/^[a-z]{3}$/),
  unit_amount: z.int().min(0).nullable(),
  recurring: z
    .object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int().min(1) })
    .nullable(),
});

/** Currencies with other parts at Stripe than by ISO 4217. */
const ownDigits: Readonly<Record<string, number>> = { isk: 2, ugx: 2, mga: 0 };

/** A subscription's price: `amount` in whole currency units, once in `every` intervals. */
export interface RecurringPrice {
  amount: number;
  currency: string;
  every: number;
  interval: 'day' | 'week' | 'month' | 'year';
}

/**
 * Reads a price at Stripe; null if there is none, or none with one amount. Throws BillingNotConfigured, and
 * BillingProviderUnavailable.
 */
export async function readPrice(id: string): Promise<RecurringPrice | null> {
  const found = await findAtStripe(price, (stripe) =>
    stripe.prices.retrieve(id, {}, { timeout: timeoutMs, maxNetworkRetries: 0 }),
  );
  if (found === null || found.unit_amount === null || found.recurring === null) return null;
  const { currency, unit_amount: parts, recurring } = found;
  const { interval, interval_count: every } = recurring;
  return { amount: parts / 10 ** digitsOf(currency), currency: currency.toUpperCase(), every, interval };
}

const digitsOf = (currency: string): number =>
  ownDigits[currency] ??
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
  2;
