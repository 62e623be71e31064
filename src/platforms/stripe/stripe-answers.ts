import { z } from 'zod';

/** The used parts from Stripe's answers. The SDK declares their types, and checks nothing. */

const id = z.string().min(1);
/** A related object comes as an id, or complete if it was expanded. */
const reference = z.union([id, z.object({ id })]);

export const subscriptionAnswer = z.object({
  id,
  customer: reference,
  metadata: z.record(z.string(), z.string()),
  status: z.string(),
  // Since 2025 Stripe puts the period on the items.
  items: z.object({ data: z.array(z.object({ current_period_end: z.int(), price: z.object({ id }) })) }),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.int().nullable(),
});
export type SubscriptionAnswer = z.output<typeof subscriptionAnswer>;

export const checkoutAnswer = z.object({
  id,
  url: z.string().nullish(),
  status: z.string().nullish(),
  subscription: reference.nullish(),
});

export const portalAnswer = z.object({ url: z.string() });
export const customerAnswer = z.object({ id, deleted: z.boolean().optional() });
