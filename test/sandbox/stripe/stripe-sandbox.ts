import { randomBytes } from 'node:crypto';
import { type Listening, listen, RunningSandbox } from '../kit/running-sandbox.js';
import { actOn, type PortalAction } from './portal-page.js';
import { createStripeApp } from './stripe-app.js';
import { StripeEvents, type StripeEventsOptions } from './stripe-events.js';
import type { SandboxCheckout, SandboxCustomer, SandboxPrice, SandboxSubscription } from './stripe-objects.js';
import { StripeState } from './stripe-state.js';
import { WireViews } from './wire-views.js';

export interface StripeSandboxOptions extends Omit<StripeEventsOptions, 'secret'> {
  /** A free port when left out. */
  port?: number;
}

/** Starts a separate Stripe: customers, checkout, subscriptions, the portal and signed events; empty at first. */
export async function startStripeSandbox(options: StripeSandboxOptions = {}): Promise<StripeSandbox> {
  return new StripeSandbox(await listen(options), options);
}

/** A running sandbox; `url` is what to set STRIPE_API_URL to. What is not there throws an `Error` in words. */
export class StripeSandbox extends RunningSandbox {
  readonly secretKey = `sk_test_${randomBytes(24).toString('hex')}`;
  readonly webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  /** Prices for the two plans that can be bought. */
  readonly prices: { pro: SandboxPrice; enterprise: SandboxPrice };
  /** Its events, and how they are sent: held back, out of order, twice. */
  readonly events: StripeEvents;
  readonly #state: StripeState;
  readonly #views: WireViews;

  constructor(listening: Listening, options: StripeSandboxOptions) {
    super(listening);
    this.events = new StripeEvents({ ...options, secret: this.webhookSecret });
    const prices = new Map<string, SandboxPrice>();
    this.#views = new WireViews(prices, this.url);
    this.#state = new StripeState(prices, this.#views, this.events);
    this.prices = { pro: this.addPrice('Pro', 900), enterprise: this.addPrice('Enterprise', 2_900) };
    const { secretKey, requests, faults } = this;
    const parts = { state: this.#state, views: this.#views, secretKey, faults, requests };
    this.server.on('request', createStripeApp({ ...parts, observe: options.observe }).callback());
  }

  /** `amount` in cents a month. */
  addPrice(name: string, amount: number): SandboxPrice {
    return this.#state.addPrice(name, amount);
  }

  /** Registers a webhook endpoint with its events, as a person at the dashboard does. */
  registerWebhook(url: string, events: string[]): void {
    const id = `we_${this.#state.webhookEndpoints.length}`;
    this.#state.webhookEndpoints.push({
      ...{ id, object: 'webhook_endpoint', url, status: 'enabled', enabled_events: events },
      ...{ api_version: null, application: null, created: 1, description: null, livemode: false, metadata: {} },
    });
  }

  /** Plays the person who pays on the checkout page with this address. */
  pay(checkoutUrl: string): SandboxSubscription {
    return this.#state.pay(this.#checkout(checkoutUrl));
  }

  /** Plays time: the checkout with this address expires unpaid. */
  expireCheckout(checkoutUrl: string): void {
    this.#checkout(checkoutUrl).status = 'expired';
  }

  /** Plays a new customer that buys immediately: a checkout that was not begun over the API. */
  buy({ priceId, metadata }: Pick<SandboxSubscription, 'priceId' | 'metadata'>): SandboxSubscription {
    const { id: customerId } = this.#state.addCustomer({ name: null, email: null, metadata });
    const addresses = { successUrl: this.url, cancelUrl: null, clientReferenceId: null };
    const owned = { metadata, subscriptionMetadata: metadata };
    return this.#state.pay(this.#state.addCheckout({ customerId, priceId, ...addresses, ...owned }));
  }

  /** Begins a subscription without a checkout, as a person at the dashboard can. */
  subscribe(input: Pick<SandboxSubscription, 'customerId' | 'priceId' | 'metadata'>): SandboxSubscription {
    return this.#state.subscribe(input);
  }

  subscription(id: string): SandboxSubscription {
    const subscription = this.#state.subscriptions.get(id);
    if (!subscription) throw new Error(`There is no subscription ${id}.`);
    return subscription;
  }

  customers(): SandboxCustomer[] {
    return [...this.#state.customers.values()];
  }

  deleteCustomer(id: string): void {
    const customer = this.#state.customers.get(id);
    if (!customer) throw new Error(`There is no customer ${id}.`);
    customer.deleted = true;
  }

  /** Does what a portal button does. `price` is for `change`. */
  act(subscriptionId: string, action: PortalAction, price?: string): void {
    actOn(this.#state, this.subscription(subscriptionId), action, price);
  }

  /** Changes a subscription in any way, and sends the event. */
  change(subscriptionId: string, changes: Partial<SandboxSubscription>): void {
    this.#state.change(this.subscription(subscriptionId), changes);
  }

  /** Sends nothing any more, and closes. */
  override stop(): Promise<void> {
    this.events.stop();
    return super.stop();
  }

  #checkout(url: string): SandboxCheckout {
    const checkout = this.#state.checkouts.get(url.split('/').at(-1) ?? '');
    if (!checkout) throw new Error(`There is no checkout ${url}.`);
    return checkout;
  }
}

export type { SandboxSubscription };
