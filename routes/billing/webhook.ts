import { z } from 'zod';
import { signedByProvider } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { applyEvent, readEvent } from '../../src/features/billing/billing-events.js';

export const ReceiveBillingEvent = defineRoute({
  endpoint: 'POST /api/billing/webhook',
  summary: 'For the billing provider: events of a subscription',
  access: signedByProvider('stripe-signature'),
  input: { headers: z.object({ 'stripe-signature': z.string().optional() }) },
  answers: { 200: z.strictObject({ received: z.literal(true) }) },
  refusals: ['billing_not_configured', 'billing_provider_unavailable', 'busy', 'lease_lost'],
  rateLimit: 'provider',
  handle: async ({ rawBody, headers }) => {
    await applyEvent(readEvent(rawBody, headers['stripe-signature']));
    return ok({ received: true });
  },
});
