import type Stripe from 'stripe';
import type { EventName, StripeEvents } from './stripe-events.js';
import {
  type SandboxCheckout,
  type SandboxCustomer,
  type SandboxInvoice,
  type SandboxPortal,
  type SandboxPrice,
  type SandboxSubscription,
  stripeId,
  unixNow,
} from './stripe-objects.js';
import type { WireViews } from './wire-views.js';

const monthSeconds = 30 * 24 * 60 * 60;
const checkoutSeconds = 24 * 60 * 60;

/** Everything in the sandbox's Stripe account. Each change to a subscription is sent as an event. */
export class StripeState {
  readonly prices: Map<string, SandboxPrice>;
  readonly customers = new Map<string, SandboxCustomer>();
  readonly checkouts = new Map<string, SandboxCheckout>();
  readonly portals = new Map<string, SandboxPortal>();
  /** The endpoints that are registered at the dashboard, as Stripe lists them. */
  readonly webhookEndpoints: Stripe.WebhookEndpoint[] = [];
  readonly subscriptions = new Map<string, SandboxSubscription>();
  readonly #views: WireViews;
  readonly #events: StripeEvents;

  constructor(prices: Map<string, SandboxPrice>, views: WireViews, events: StripeEvents) {
    this.prices = prices;
    this.#views = views;
    this.#events = events;
  }

  addPrice(name: string, amount: number): SandboxPrice {
    const price = { id: stripeId('price'), name, amount };
    this.prices.set(price.id, price);
    return price;
  }

  addCustomer(input: Pick<SandboxCustomer, 'name' | 'email' | 'metadata'>): SandboxCustomer {
    const customer = { id: stripeId('cus', 7), created: unixNow(), ...input, deleted: false };
    this.customers.set(customer.id, customer);
    return customer;
  }

  addCheckout(input: Omit<SandboxCheckout, 'id' | 'created' | 'expiresAt' | 'status' | 'subscriptionId'>) {
    const created = unixNow();
    const made = { id: stripeId('cs_test', 24), created, expiresAt: created + checkoutSeconds };
    const checkout: SandboxCheckout = { ...made, ...input, status: 'open', subscriptionId: null };
    this.checkouts.set(checkout.id, checkout);
    return checkout;
  }

  addPortal(customerId: string, returnUrl: string | null): SandboxPortal {
    const portal = { id: stripeId('bps'), created: unixNow(), customerId, returnUrl };
    this.portals.set(portal.id, portal);
    return portal;
  }

  /** Begins a subscription whose first invoice is paid, as a checkout or a person at the dashboard does. */
  subscribe(input: Pick<SandboxSubscription, 'customerId' | 'priceId' | 'metadata'>): SandboxSubscription {
    const created = unixNow();
    const subscription: SandboxSubscription = {
      id: stripeId('sub'),
      itemId: stripeId('si', 7),
      created,
      ...input,
      status: 'active',
      periodStart: created,
      periodEnd: created + monthSeconds,
      cancelAtPeriodEnd: false,
      canceledAt: null,
      endedAt: null,
      latestInvoiceId: null,
    };
    this.subscriptions.set(subscription.id, subscription);
    const invoice = this.#invoice(subscription, 'subscription_create', true);
    this.#emit('customer.subscription.created', this.#views.subscription(subscription));
    this.#emit('invoice.paid', this.#views.invoice(invoice));
    return subscription;
  }

  /** Pays a checkout. Throws when it is not open any more. */
  pay(checkout: SandboxCheckout): SandboxSubscription {
    if (checkout.status !== 'open') throw new Error(`This checkout is ${checkout.status}.`);
    const { customerId, priceId, subscriptionMetadata: metadata } = checkout;
    const subscription = this.subscribe({ customerId, priceId, metadata });
    Object.assign(checkout, { status: 'complete', subscriptionId: subscription.id });
    this.#emit('checkout.session.completed', this.#views.checkout(checkout));
    return subscription;
  }

  /** Changes a subscription and sends the event with its previous values. */
  change(subscription: SandboxSubscription, changes: Partial<SandboxSubscription>): void {
    const before = this.#views.subscription(subscription);
    Object.assign(subscription, changes);
    const after = this.#views.subscription(subscription);
    const name = subscription.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated';
    const changed = Object.entries(before).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(after, key)),
    );
    this.#emit(name, after, Object.fromEntries(changed));
  }

  /** The next month begins, and its invoice is paid or not. */
  renew(subscription: SandboxSubscription, paid: boolean): void {
    const invoice = this.#invoice(subscription, 'subscription_cycle', paid);
    this.#emit(paid ? 'invoice.paid' : 'invoice.payment_failed', this.#views.invoice(invoice));
    this.change(subscription, {
      status: paid ? 'active' : 'past_due',
      periodStart: subscription.periodEnd,
      periodEnd: subscription.periodEnd + monthSeconds,
    });
  }

  #invoice(subscription: SandboxSubscription, reason: SandboxInvoice['reason'], paid: boolean): SandboxInvoice {
    const amount = this.prices.get(subscription.priceId)?.amount ?? 0;
    const invoice = { id: stripeId('in'), created: unixNow(), subscription, amount, reason, paid };
    subscription.latestInvoiceId = invoice.id;
    return invoice;
  }

  #emit(name: EventName, object: object, previous?: object): void {
    this.#events.emit(name, object, previous);
  }
}
