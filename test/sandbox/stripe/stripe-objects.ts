import { randomBytes } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';

type Metadata = Readonly<Record<string, string>>;

/** A recurring price, monthly, in euro cents. */
export interface SandboxPrice {
  id: string;
  name: string;
  amount: number;
}

export interface SandboxCustomer {
  id: string;
  created: number;
  name: string | null;
  email: string | null;
  metadata: Metadata;
  deleted: boolean;
}

export interface SandboxCheckout {
  id: string;
  created: number;
  expiresAt: number;
  customerId: string;
  priceId: string;
  status: 'open' | 'complete' | 'expired';
  successUrl: string;
  cancelUrl: string | null;
  clientReferenceId: string | null;
  metadata: Metadata;
  subscriptionMetadata: Metadata;
  subscriptionId: string | null;
}

export interface SandboxPortal {
  id: string;
  created: number;
  customerId: string;
  returnUrl: string | null;
}

type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused';

export interface SandboxSubscription {
  id: string;
  itemId: string;
  created: number;
  customerId: string;
  priceId: string;
  status: SubscriptionStatus;
  /** Unix seconds, as all times here. */
  periodStart: number;
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
  canceledAt: number | null;
  endedAt: number | null;
  latestInvoiceId: string | null;
  metadata: Metadata;
}

export interface SandboxInvoice {
  id: string;
  created: number;
  subscription: SandboxSubscription;
  amount: number;
  reason: 'subscription_create' | 'subscription_cycle';
  paid: boolean;
}

export const unixNow = (): number => Math.floor(clock.epochMs() / 1000);

/** A new id in Stripe's form: `cus_` and letters and digits. */
export function stripeId(prefix: string, bytes = 12): string {
  return `${prefix}_${randomBytes(bytes).toString('hex')}`;
}
