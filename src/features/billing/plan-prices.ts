import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { hourMs } from '../../lib/time.js';
import { BillingProviderUnavailable } from '../../platforms/stripe/stripe-errors.js';
import { type RecurringPrice, readPrice } from '../../platforms/stripe/stripe-prices.js';

/** A plan's price (PLAN-16). */
export const planPrice = z
  .strictObject({
    plan: z.enum(['pro', 'enterprise']),
    amount: z.number().min(0).describe('In whole units of the currency, such as 9.5.'),
    currency: z.string().describe('By ISO 4217, such as EUR.'),
    every: z.int().min(1).describe('It is paid once in this many intervals.'),
    interval: z.enum(['day', 'week', 'month', 'year']),
  })
  .meta({ id: 'PlanPrice' });

/** Prices as Stripe tells them, for an hour. */
const recent = new LRUCache<string, { price: RecurringPrice | null }>({
  max: 10,
  ttl: hourMs,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: async (id) => ({ price: await readPrice(id) }),
});

/** The prices for sale; none while Stripe doesn't answer, or without plans for sale (PLAN-16). */
export async function readPlanPrices(): Promise<z.input<typeof planPrice>[]> {
  const { pro = [], enterprise = [] } = config().stripe?.prices ?? {};
  const found = await Promise.all([priceOf('pro', pro), priceOf('enterprise', enterprise)]);
  return found.flat();
}

async function priceOf(plan: 'pro' | 'enterprise', [id]: readonly string[]): Promise<z.input<typeof planPrice>[]> {
  if (id === undefined) return [];
  try {
    const { price } = await recent.forceFetch(id);
    return price === null ? [] : [{ plan, ...price }];
  } catch (error) {
    if (error instanceof BillingProviderUnavailable) return [];
    throw error;
  }
}
