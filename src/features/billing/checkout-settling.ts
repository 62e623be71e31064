import type { Lease } from '../../platforms/database/lease.js';
import { checkoutAnswer } from '../../platforms/stripe/stripe-answers.js';
import { findAtStripe } from '../../platforms/stripe/stripe-client.js';
import type { BillingRecord } from './billing-record.js';
import { idOf } from './provider-subscription.js';
import { openRecord, syncSubscription, writeRecord } from './subscription-sync.js';

/** A record with a `url` if its checkout can still be paid. */
export interface SettledCheckout {
  record: BillingRecord;
  url: string | null;
}

/**
 * Reads the latest checkout's state. A paid one becomes a subscription, even if its event was lost; an expired one is
 * forgotten. Throws BillingProviderUnavailable, Conflict `lease_lost`.
 */
export async function settleCheckout(record: BillingRecord, lease: Lease): Promise<SettledCheckout> {
  const { checkout, guildId } = record;
  if (checkout === null) return { record, url: null };
  const session = await findAtStripe(checkoutAnswer, (client) => client.checkout.sessions.retrieve(checkout.sessionId));
  if (session?.status === 'open') return { record, url: session.url ?? null };
  if (session?.subscription) await syncSubscription(guildId, idOf(session.subscription), lease);
  return { record: await writeRecord(await openRecord(guildId), lease, { checkout: null }), url: null };
}
