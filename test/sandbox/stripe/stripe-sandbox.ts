import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Fault } from '../kit/exchange.js';
import { FaultList } from '../kit/fault-list.js';
import type { RecordedRequest } from './exchange-recorder.js';
import { actOn, type PortalAction } from './portal-page.js';
import { createStripeApp } from './stripe-app.js';
import { StripeEvents, type StripeEventsOptions } from './stripe-events.js';
import type { SandboxCustomer, SandboxPrice, SandboxSubscription } from './stripe-objects.js';
import { StripeState } from './stripe-state.js';
import { WireViews } from './wire-views.js';

export interface StripeSandboxOptions extends Omit<StripeEventsOptions, 'secret'> {
  /** A free port when left out. */
  port?: number;
}

/** Starts a Stripe of one's own: customers, checkout, subscriptions, the portal and signed events; empty at first. */
export async function startStripeSandbox(options: StripeSandboxOptions = {}): Promise<StripeSandbox> {
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return new StripeSandbox(server, options);
}

/** A running sandbox, steered from the same process. What is not there throws an `Error` in words. */
export class StripeSandbox {
  /** What to set STRIPE_API_URL to. Its pages are here too. */
  readonly url: string;
  readonly secretKey = `sk_test_${randomBytes(24).toString('hex')}`;
  readonly webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  /** The prices of the two plans that can be bought. */
  readonly prices: { pro: SandboxPrice; enterprise: SandboxPrice };
  /** What the sandbox's Stripe was asked, oldest first. */
  readonly requests: RecordedRequest[] = [];
  /** What it tells, and how: held back, out of order, twice. */
  readonly events: StripeEvents;
  readonly #state: StripeState;
  readonly #views: WireViews;
  readonly #faults = new FaultList();
  readonly #server: Server;

  /** `server` must be listening already; use `startStripeSandbox`. */
  constructor(server: Server, options: StripeSandboxOptions) {
    this.url = urlOf(server);
    this.events = new StripeEvents({ ...options, secret: this.webhookSecret });
    const prices = new Map<string, SandboxPrice>();
    this.#views = new WireViews(prices, this.url);
    this.#state = new StripeState(prices, this.#views, this.events);
    this.prices = { pro: this.addPrice('Pro', 900), enterprise: this.addPrice('Enterprise', 2_900) };
    this.#server = server;
    const { secretKey, requests } = this;
    const parts = { state: this.#state, views: this.#views, secretKey, faults: this.#faults, requests };
    server.on('request', createStripeApp({ ...parts, observe: options.observe }).callback());
  }

  /** `amount` in cents a month. */
  addPrice(name: string, amount: number): SandboxPrice {
    return this.#state.addPrice(name, amount);
  }

  /** Plays the person who pays on the checkout page with this address. */
  pay(checkoutUrl: string): SandboxSubscription {
    const checkout = this.#state.checkouts.get(checkoutUrl.split('/').at(-1) ?? '');
    if (!checkout) throw new Error(`There is no checkout ${checkoutUrl}.`);
    return this.#state.pay(checkout);
  }

  /** Plays time: nobody has paid at the checkout with this address. */
  expireCheckout(checkoutUrl: string): void {
    const checkout = this.#state.checkouts.get(checkoutUrl.split('/').at(-1) ?? '');
    if (!checkout) throw new Error(`There is no checkout ${checkoutUrl}.`);
    checkout.status = 'expired';
  }

  /** Plays a new customer who buys at once: a checkout that nobody had to begin over the API. */
  buy({ priceId, metadata }: Pick<SandboxSubscription, 'priceId' | 'metadata'>): SandboxSubscription {
    const { id: customerId } = this.#state.addCustomer({ name: null, email: null, metadata });
    const addresses = { successUrl: this.url, cancelUrl: null, clientReferenceId: null };
    const owned = { metadata, subscriptionMetadata: metadata };
    return this.#state.pay(this.#state.addCheckout({ customerId, priceId, ...addresses, ...owned }));
  }

  /** Begins a subscription without a checkout, as somebody at the dashboard can. */
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

  /** Does what a button of the portal does. `price` is for `change`. */
  act(subscriptionId: string, action: PortalAction, price?: string): void {
    actOn(this.#state, this.subscription(subscriptionId), action, price);
  }

  /** Changes a subscription in any way, and tells of it. */
  change(subscriptionId: string, changes: Partial<SandboxSubscription>): void {
    this.#state.change(this.subscription(subscriptionId), changes);
  }

  /** Lets requests fail; the function that it gives back ends that. */
  inject(fault: Fault): () => void {
    return this.#faults.inject(fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  forgetRequests(): void {
    this.requests.length = 0;
  }

  /** Sends nothing any more; closes every connection and the port. */
  async stop(): Promise<void> {
    this.events.stop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

export type { SandboxSubscription };

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox server is not listening.');
  return `http://127.0.0.1:${address.port}`;
}
