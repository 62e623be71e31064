import { config } from '../../config/config.js';
import { billingEventTypes } from '../../features/billing/billing-events.js';
import { eventsNotSent, refusesKey, unusablePrices } from '../../platforms/stripe/stripe-setup.js';
import { type Check, type Finding, fault, off, ok } from './finding.js';

const dashboard = 'Open https://dashboard.stripe.com';

/** Stripe's key, the prices for sale, and the webhook. Its signing secret can't be read. */
export const checkStripe: Check = {
  name: 'Stripe',
  async run() {
    const { stripe, publicUrl } = config();
    if (stripe === undefined)
      return [off("off, because the STRIPE_… variables aren't set. Every server has DEFAULT_PLAN.", 'stripe_off')];
    const url = `${publicUrl}/api/billing/webhook`;
    try {
      const sold = Object.values(stripe.prices).map(([first = '']) => first);
      const findings: Finding[] = (await unusablePrices(sold)).map((id) =>
        fault(
          'stripe_price_unknown',
          `Stripe doesn't know the price ${id}.`,
          `${dashboard} → Product catalog → the plan.`,
          { id },
        ),
      );
      const missing = await eventsNotSent(url, billingEventTypes);
      if (missing.length > 0) {
        const events = missing.join(', ');
        const says = `Stripe doesn't send ${events}.`;
        findings.push(
          fault('stripe_webhook_missing', says, `${dashboard} → Developers → Webhooks → an endpoint ${url}`, {
            events,
            url,
          }),
        );
      }
      return findings.length > 0 ? findings : [ok('key, prices and webhook are correct.', 'stripe_ok')];
    } catch (error) {
      if (!refusesKey(error)) throw error;
      return [fault('stripe_key_wrong', 'Stripe rejects STRIPE_SECRET_KEY.', `${dashboard} → Developers → API keys.`)];
    }
  },
};
