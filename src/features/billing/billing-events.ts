import { z } from 'zod';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { InvalidRequest } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { dayMs } from '../../lib/time.js';
import { Remembered } from '../../platforms/database/remembered.js';
import { BillingNotConfigured, SignatureInvalid } from '../../platforms/stripe/stripe-errors.js';
import { stripePackage } from '../../platforms/stripe/stripe-package.js';
import { payerOf, syncSubscription, withBillingLease } from './subscription-sync.js';

/** Stripe repeats an event for three days, and shows it for thirty. */
const keptMs = 31 * dayMs;

/** Events that have been applied, by guild and Stripe's id (`evt_…`). */
const applied = new Remembered<{ type: string }>('stripe_event');

/** How old a signature may be, in seconds: the default in Stripe's own client. */
const toleranceSeconds = 300;

/** An event's subject. It carries no current state: events come late, twice and in any order. */
interface EventSubject {
  subscriptionId: string;
  customerId: string | null;
  /** The guild that the event names; the guild that the subscription pays for is read from Stripe. */
  guildId: string | undefined;
}

/** A reference in Stripe's data: an id, or the object itself. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const eventMetadata = z.object({ guildId: z.string().optional() }).nullish();

/** The fields in Stripe's objects that identify an event's subject, by event type; null: not about a subscription. */
const subscriptionChanged = z
  .object({ id: z.string(), customer: reference, metadata: eventMetadata })
  .transform(({ id, customer, metadata }) => subjectWith(id, customer, metadata));
const invoiceChanged = z
  .object({
    customer: reference.nullable(),
    parent: z
      .object({ subscription_details: z.object({ subscription: reference, metadata: eventMetadata }).nullish() })
      .nullish()
      .transform((parent) => parent?.subscription_details ?? null),
  })
  .transform(({ customer, parent }) => parent && subjectWith(parent.subscription, customer, parent.metadata));
const subjects: Readonly<Record<string, z.ZodType<EventSubject | null>>> = {
  'customer.subscription.created': subscriptionChanged,
  'customer.subscription.updated': subscriptionChanged,
  'customer.subscription.deleted': subscriptionChanged,
  'checkout.session.completed': z
    .object({ subscription: reference.nullable(), customer: reference.nullable(), metadata: eventMetadata })
    .transform(({ subscription, customer, metadata }) =>
      subscription === null ? null : subjectWith(subscription, customer, metadata),
    ),
  'invoice.paid': invoiceChanged,
  'invoice.payment_failed': invoiceChanged,
};

export const billingEventTypes: readonly string[] = Object.keys(subjects);

const eventEnvelope = z.object({ id: z.string(), type: z.string(), data: z.object({ object: z.unknown() }) });

/** An event from Stripe. A null `subject` means that it does not concern us. */
export interface BillingEvent {
  id: string;
  type: string;
  subject: EventSubject | null;
}

/**
 * Checks by its raw body and Stripe-Signature header that a webhook call comes from Stripe, and reads the event. Throws
 * SignatureInvalid, InvalidRequest for a signed body that is no event in a known shape, BillingNotConfigured.
 */
export function readEvent(rawBody: Buffer, signature: string | undefined): BillingEvent {
  const { stripe } = config();
  if (stripe === undefined) throw new BillingNotConfigured();
  const envelope = eventEnvelope.safeParse(signedJson(rawBody, signature ?? '', stripe.webhookSecret));
  if (!envelope.success) throw malformed(envelope.error, []);
  const { id, type, data } = envelope.data;
  const subject = subjects[type]?.safeParse(data.object) ?? { success: true, data: null };
  if (!subject.success) throw malformed(subject.error, ['data', 'object']);
  return { id, type, subject: subject.data };
}

/** The JSON under a valid signature; undefined when it is none. */
function signedJson(rawBody: Buffer, signature: string, secret: string): unknown {
  const body = rawBody.toString();
  try {
    // For some signatures Stripe's client throws other errors: an empty one is a TypeError.
    stripePackage().webhooks.signature?.verifyHeader(body, signature, secret, toleranceSeconds);
  } catch (cause) {
    throw new SignatureInvalid({ cause });
  }
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function malformed({ issues }: z.ZodError, root: readonly string[]): InvalidRequest {
  return new InvalidRequest(issues.map(({ path, message }) => ({ path: [...root, ...path].join('.'), message })));
}

/**
 * Applies an event once, in any order and however often it comes: its subscription is read again from Stripe (PLAN-11).
 * Other events are ignored. An error makes Stripe send the event again. Throws BillingProviderUnavailable,
 * Conflict `busy` or `lease_lost`.
 */
export async function applyEvent({ id: _id, type, subject }: BillingEvent): Promise<void> {
  if (subject === null) return;
  const guildId = await payerOf(subject);
  if (guildId === undefined) {
    logger.info({ event: _id, type }, 'event of an unknown customer ignored');
    return;
  }
  // The event only suggests the guild to check first: the subscription itself names its guild.
  const payer = await applyIn(guildId, { _id, type }, subject);
  if (payer !== undefined) await applyIn(payer, { _id, type }, subject);
}

/** Returns the guild that the subscription belongs to, if it is another one. */
function applyIn(
  guildId: string,
  { _id, type }: { _id: string; type: string },
  subject: EventSubject,
): Promise<string | undefined> {
  return withBillingLease(guildId, async (lease) => {
    const key = `${guildId} ${_id}`;
    if ((await applied.find(key)) !== null) return undefined;
    const payer = await syncSubscription(guildId, subject.subscriptionId, lease);
    const until = new Date(clock.epochMs() + keptMs);
    if (payer === undefined) await applied.keep(key, { guildId, until, value: { type } });
    return payer;
  });
}

function subjectWith(
  subscriptionId: string,
  customerId: string | null,
  metadata: z.output<typeof eventMetadata>,
): EventSubject {
  return { subscriptionId, customerId, guildId: metadata?.guildId };
}
