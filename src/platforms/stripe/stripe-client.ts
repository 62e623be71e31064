import type Stripe from 'stripe';
import type { z } from 'zod';
import { config } from '../../config/config.js';
import { noteCall } from '../../lib/last-calls.js';
import { logger } from '../../lib/logger.js';
import { BillingNotConfigured, BillingProviderUnavailable } from './stripe-errors.js';
import { stripePackage } from './stripe-package.js';

type StripeConfig = NonNullable<ReturnType<typeof config>['stripe']>;

/** Short, since an owner waits for the answer, and Stripe waits for our answer to its events. */
const timeoutMs = 8_000;
const retries = 1;

let made: { by: StripeConfig; client: Stripe } | undefined;

/** The Stripe client for this configuration. Throws BillingNotConfigured. */
function stripeClient(): Stripe {
  const { stripe } = config();
  if (stripe === undefined) throw new BillingNotConfigured();
  if (made?.by !== stripe) made = { by: stripe, client: createClient(stripe) };
  return made.client;
}

function createClient({ secretKey, apiUrl }: StripeConfig): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  const Client = stripePackage();
  return new Client(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    telemetry: false,
    timeout: timeoutMs,
    maxNetworkRetries: retries,
  });
}

/**
 * Calls Stripe and parses its answer with `answer`. Every failure or unexpected answer becomes
 * BillingProviderUnavailable. It is logged with Stripe's reason, or with the mismatch.
 */
export async function callStripe<T>(answer: z.ZodType<T>, call: (client: Stripe) => Promise<unknown>): Promise<T> {
  const client = stripeClient();
  try {
    const found = await call(client);
    noteCall('stripe', true);
    return parse(answer, found);
  } catch (error) {
    if (!(error instanceof stripePackage().errors.StripeError)) throw error;
    noteCall('stripe', isAnswer(error));
    logger.error({ err: error, requestId: error.requestId }, 'Stripe failed');
    throw new BillingProviderUnavailable(error.statusCode !== undefined, { cause: error });
  }
}

/** Whether Stripe understood the call and refused it, as opposed to refusing the key or failing. */
const isAnswer = ({ statusCode }: InstanceType<typeof Stripe.errors.StripeError>): boolean =>
  statusCode !== undefined && statusCode < 500 && ![401, 403, 429].includes(statusCode);

/** Calls Stripe for something that may not exist; null then. */
export async function findAtStripe<T>(
  answer: z.ZodType<T>,
  call: (client: Stripe) => Promise<unknown>,
): Promise<T | null> {
  try {
    return await callStripe(answer, call);
  } catch (error) {
    const cause = error instanceof BillingProviderUnavailable ? error.cause : undefined;
    if (cause instanceof stripePackage().errors.StripeError && cause.code === 'resource_missing') return null;
    throw error;
  }
}

function parse<T>(answer: z.ZodType<T>, found: unknown): T {
  const { data, error } = answer.safeParse(found);
  if (error === undefined) return data as T;
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
  logger.error({ issues }, 'Stripe answered in an undocumented format');
  throw new BillingProviderUnavailable(true, { cause: error });
}
