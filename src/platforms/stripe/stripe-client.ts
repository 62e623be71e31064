import Stripe from 'stripe';
import { config } from '../../config.js';
import { logger } from '../../lib/logger.js';
import { BillingNotConfigured, BillingProviderUnavailable } from './stripe-errors.js';

type StripeConfig = NonNullable<ReturnType<typeof config>['stripe']>;

/** Short, since an owner waits for the answer, and Stripe waits for ours to its events. */
const timeoutMs = 8_000;
const retries = 1;

let made: { by: StripeConfig; client: Stripe } | undefined;

/** The Stripe client of this configuration. Throws BillingNotConfigured. */
function stripeClient(): Stripe {
  const { stripe } = config();
  if (stripe === undefined) throw new BillingNotConfigured();
  if (made?.by !== stripe) made = { by: stripe, client: createClient(stripe) };
  return made.client;
}

function createClient({ secretKey, apiUrl }: StripeConfig): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  return new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    telemetry: false,
    timeout: timeoutMs,
    maxNetworkRetries: retries,
  });
}

/** Calls Stripe. Every failure becomes BillingProviderUnavailable and is logged with Stripe's reason. */
export async function callStripe<T>(call: (client: Stripe) => Promise<T>): Promise<T> {
  const client = stripeClient();
  try {
    return await call(client);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    logger.error({ err: error, requestId: error.requestId }, 'Stripe failed');
    throw new BillingProviderUnavailable(error.statusCode !== undefined, { cause: error });
  }
}

/** Calls Stripe for something that may not exist; null then. */
export async function findAtStripe<T>(call: (client: Stripe) => Promise<T>): Promise<T | null> {
  try {
    return await callStripe(call);
  } catch (error) {
    const cause = error instanceof BillingProviderUnavailable ? error.cause : undefined;
    if (cause instanceof Stripe.errors.StripeError && cause.code === 'resource_missing') return null;
    throw error;
  }
}
