import { trusted } from 'mongoose';
import Stripe from 'stripe';
import { z } from 'zod';
import { config } from '../../config.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { dayMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { BillingNotConfigured, SignatureInvalid } from '../../platforms/stripe/stripe-errors.js';
import { idOf } from './provider-subscription.js';
import { payerOf, syncSubscription, withBillingLease } from './subscription-sync.js';

/** An event of Stripe's that has been applied. */
const appliedEventFields = z.strictObject({
  /** Stripe's id of the event: `evt_…`. */
  _id: z.string(),
  guildId: z.string(),
  type: z.string(),
  appliedAt: z.date(),
});
type AppliedEvent = z.output<typeof appliedEventFields>;

const schema = schemaOf('billing_events', appliedEventFields);
// The purge of those that Stripe has long given up to repeat.
schema.index({ appliedAt: 1 });

const AppliedEvents = new GuildModel<AppliedEvent>('BillingEvent', schema);

/** Stripe repeats an event for three days, and shows it for thirty. */
const keptMs = 31 * dayMs;

/** How old a signature may be, in seconds: the default of Stripe's own client. */
const toleranceSeconds = 300;

/** What an event is about. It doesn't say how things stand now: events come late, twice and in any order. */
interface EventSubject {
  subscriptionId: string;
  customerId: string | null;
  /** The guild that the event names; who the subscription pays for is read from Stripe. */
  guildId: string | undefined;
}

/**
 * Checks by its raw body and Stripe-Signature header that a webhook call comes from Stripe. Throws SignatureInvalid,
 * BillingNotConfigured.
 */
export function verifyEvent(rawBody: Buffer, signature: string | undefined): Stripe.Event {
  const { stripe } = config();
  if (stripe === undefined) throw new BillingNotConfigured();
  try {
    return Stripe.webhooks.constructEvent(rawBody, signature ?? '', stripe.webhookSecret, toleranceSeconds);
  } catch (cause) {
    throw new SignatureInvalid({ cause });
  }
}

/**
 * Applies an event once, in whatever order and however often it comes: its subscription is read again from Stripe (SPEC
 * §4 Plans). Other events are ignored. An error makes Stripe send the event again. Throws BillingProviderUnavailable,
 * Conflict `busy` or `lease_lost`.
 */
export async function applyEvent(event: Stripe.Event): Promise<void> {
  const subject = subjectOf(event);
  if (subject === null) return;
  const guildId = await payerOf(subject);
  if (guildId === undefined) {
    logger.info({ event: event.id, type: event.type }, 'An event of a customer who is none of ours is ignored');
    return;
  }
  // What the event says only chooses where to look first: the subscription itself says whose it is.
  const payer = await applyIn(guildId, event, subject);
  if (payer !== undefined) await applyIn(payer, event, subject);
}

/** Gives the guild whose the subscription is, when it is another one. */
function applyIn(guildId: string, event: Stripe.Event, subject: EventSubject): Promise<string | undefined> {
  return withBillingLease(guildId, async (lease) => {
    const { id: _id, type } = event;
    if ((await AppliedEvents.findOne({ _id, guildId })) !== null) return undefined;
    const payer = await syncSubscription(guildId, subject.subscriptionId, lease);
    if (payer === undefined) await AppliedEvents.insert({ _id, guildId, type, appliedAt: clock.now() });
    return payer;
  });
}

function subjectOf(event: Stripe.Event): EventSubject | null {
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted': {
      const { id, customer, metadata } = event.data.object;
      return { subscriptionId: id, customerId: idOf(customer), guildId: metadata.guildId };
    }
    case 'checkout.session.completed': {
      const { subscription, customer, metadata } = event.data.object;
      return subscription === null ? null : subjectWith(subscription, customer, metadata);
    }
    case 'invoice.paid':
    case 'invoice.payment_failed': {
      const { parent, customer } = event.data.object;
      const details = parent?.subscription_details ?? null;
      return details === null ? null : subjectWith(details.subscription, customer, details.metadata);
    }
    default:
      return null;
  }
}

function subjectWith(
  subscription: string | { id: string },
  customer: string | { id: string } | null,
  metadata: Stripe.Metadata | null,
): EventSubject {
  const customerId = customer === null ? null : idOf(customer);
  return { subscriptionId: idOf(subscription), customerId, guildId: metadata?.guildId };
}

/** Forgets events that can't come again. */
export async function purgeBillingEvents(now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs);
  await AppliedEvents.acrossGuilds.deleteMany({ appliedAt: trusted({ $lt: before }) });
}
