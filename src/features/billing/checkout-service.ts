import type Stripe from 'stripe';
import { z } from 'zod';
import { config } from '../../config/config.js';
import type { Actor } from '../../core/actors/actor.js';
import { newEntry, recordAudit } from '../../core/audit/audit-service.js';
import { type Guild, planOf } from '../../core/guilds/guild-service.js';
import type { PlanName } from '../../core/plans/plans.js';
import { Conflict } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';
import type { Lease } from '../../platforms/database/lease.js';
import { checkoutAnswer, customerAnswer, portalAnswer } from '../../platforms/stripe/stripe-answers.js';
import { callStripe, findAtStripe } from '../../platforms/stripe/stripe-client.js';
import { BillingNotConfigured, BillingProviderUnavailable } from '../../platforms/stripe/stripe-errors.js';
import { type BillingRecord, BillingRecords } from './billing-record.js';
import { settleCheckout } from './checkout-settling.js';
import { isHigher, isOver } from './plan-in-force.js';
import { openRecord, syncSubscription, withBillingLease, writeRecord } from './subscription-sync.js';

export type PaidPlan = Exclude<PlanName, 'free'>;

/**
 * Starts a checkout at Stripe and returns its page's address. Repeated before payment it returns the same page, so that
 * a double click buys once.
 * Throws Conflict `subscription_exists` for a guild with a subscription, to be changed in the portal. Throws Conflict
 * `plan_in_force` if the guild has this plan or a higher one, BillingNotConfigured, and BillingProviderUnavailable.
 */
export async function startCheckout(guild: Guild, actor: Actor, plan: PaidPlan): Promise<string> {
  const guildId = guild._id;
  return withBillingLease(guildId, async (lease) => {
    requireConfigured();
    const begun = await settleCheckout(await openRecord(guildId), lease);
    await requireUnsubscribed(begun.record, plan, lease);
    if (begun.url !== null && begun.record.checkout?.plan === plan) return begun.url;
    const record = await withCustomer(await openRecord(guildId), guild, lease);
    const session = await callOnce(record, checkoutParams(record, plan), (params, idempotencyKey) =>
      callStripe(checkoutAnswer, (client) => client.checkout.sessions.create(params, { idempotencyKey })),
    );
    if (!session.url) throw new BillingProviderUnavailable(true);
    const target = { kind: 'guild', id: guildId };
    const changes = { plan: { from: null, to: plan } };
    const entry = newEntry({ guildId, actor, action: 'billing.checkout_started', target, changes });
    const checkout = { sessionId: session.id, plan };
    await writeRecord(record, lease, { checkout, attempt: record.attempt + 1 }, [entry]);
    return session.url;
  });
}

/**
 * Opens Stripe's customer portal, where a subscription is changed and cancelled, and returns its address. Throws
 * Conflict `subscription_missing` for a guild that never bought anything, BillingNotConfigured,
 * BillingProviderUnavailable.
 */
export async function openPortal({ _id: guildId }: Guild, actor: Actor): Promise<string> {
  requireConfigured();
  const { customerId = null } = (await BillingRecords.findOne({ guildId })) ?? {};
  const session =
    customerId &&
    (await findAtStripe(portalAnswer, (client) =>
      client.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl('portal') }),
    ));
  if (!session) throw new Conflict('subscription_missing', 'This server has no subscription. Start a checkout first.');
  await recordAudit({ guildId, actor, action: 'billing.portal_opened', target: { kind: 'guild', id: guildId } });
  return session.url;
}

function requireConfigured() {
  const { stripe } = config();
  if (stripe === undefined) throw new BillingNotConfigured();
  return stripe;
}

/** How a person comes back from the provider's pages. */
export const billingOutcome = z.enum(['paid', 'cancelled', 'portal']);

const returnUrl = (outcome: z.output<typeof billingOutcome>): string =>
  `${config().publicUrl}/billing/return?outcome=${outcome}`;

/** Reads subscriptions again, so that an ended one blocks no new checkout, even if its event was lost. */
async function requireUnsubscribed({ guildId, subscriptions }: BillingRecord, plan: PaidPlan, lease: Lease) {
  const living = subscriptions.filter((each) => !isOver(each));
  for (const { subscriptionId } of living) await syncSubscription(guildId, subscriptionId, lease);
  const current = living.length === 0 ? [] : (await openRecord(guildId)).subscriptions;
  if (current.some((each) => !isOver(each))) {
    const message = 'This server has a subscription. Change it in the billing portal.';
    throw new Conflict('subscription_exists', message);
  }
  const has = await planOf(guildId);
  if (!isHigher(plan, has))
    throw new Conflict('plan_in_force', `This server has the plan ${has} already.`, { plan: has });
}

/** The record with a customer that exists at Stripe: the known one, unless deleted there. */
async function withCustomer(record: BillingRecord, { _id, name }: Guild, lease: Lease): Promise<BillingRecord> {
  const { customerId } = record;
  if (customerId !== null) {
    const found = await findAtStripe(customerAnswer, (client) => client.customers.retrieve(customerId));
    if (found !== null && found.deleted !== true) return record;
  }
  const params: Stripe.CustomerCreateParams = { name, metadata: { guildId: _id } };
  const customer = await callOnce(record, params, (given, idempotencyKey) =>
    callStripe(customerAnswer, (client) => client.customers.create(given, { idempotencyKey })),
  );
  return writeRecord(record, lease, { customerId: customer.id, attempt: record.attempt + 1 });
}

function checkoutParams({ guildId, customerId }: BillingRecord, plan: PaidPlan): Stripe.Checkout.SessionCreateParams {
  const [price = ''] = requireConfigured().prices[plan];
  return {
    mode: 'subscription',
    line_items: [{ price, quantity: 1 }],
    ...(customerId !== null && { customer: customerId }),
    client_reference_id: guildId,
    metadata: { guildId, plan },
    subscription_data: { metadata: { guildId } },
    success_url: returnUrl('paid'),
    cancel_url: returnUrl('cancelled'),
  };
}

/**
 * Creates something at Stripe once: a try without an answer is repeated under the same idempotency key. A try with an
 * answer is not, since Stripe would repeat that answer for a day, even a failure.
 */
async function callOnce<Params, Made>(
  { guildId, attempt }: BillingRecord,
  params: Params,
  call: (params: Params, idempotencyKey: string) => Promise<Made>,
): Promise<Made> {
  const key = `${guildId}:${attempt}:${hashSecret(JSON.stringify(params))}`;
  try {
    return await call(params, key);
  } catch (error) {
    if (error instanceof BillingProviderUnavailable && error.answered) {
      await BillingRecords.update({ guildId }, { $inc: { attempt: 1 } });
    }
    throw error;
  }
}
