import { z } from 'zod';
import { applyEvent, verifyEvent } from '../../src/billing/billing-events.js';
import { signedByProvider } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';

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
