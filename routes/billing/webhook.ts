import { z } from 'zod';
import { signedByProvider } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { applyEvent, verifyEvent } from '../../src/features/billing/billing-events.js';
import { ok } from '../../src/lib/answer.js';

const input = { headers: z.object({ 'stripe-signature': z.string().optional() }) };

export class ReceiveBillingEvent extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/billing/webhook',
      summary: 'For the billing provider: what happened to a subscription',
      access: signedByProvider,
      input,
      answers: { 200: z.strictObject({ received: z.literal(true) }) },
      rateLimit: 'provider',
    });
  }

  override async handle({ rawBody, headers }: Request<typeof input>) {
    await applyEvent(verifyEvent(rawBody, headers['stripe-signature']));
    return ok({ received: true });
  }
}
