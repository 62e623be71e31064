import type {
  SandboxCheckout,
  SandboxCustomer,
  SandboxInvoice,
  SandboxPortal,
  SandboxPrice,
  SandboxSubscription,
} from './stripe-objects.js';
import { nulls, unusedByCheckout, unusedByInvoice, unusedBySubscription } from './unused-fields.js';

const currency = 'eur';
const livemode = false;

/** Stripe's objects as its API answers with them. `origin` is where the sandbox's pages are. */
export class WireViews {
  readonly #prices: ReadonlyMap<string, SandboxPrice>;
  readonly #origin: string;

  constructor(prices: ReadonlyMap<string, SandboxPrice>, origin: string) {
    this.#prices = prices;
    this.#origin = origin;
  }

  customer({ id, created, name, email, metadata, deleted }: SandboxCustomer) {
    if (deleted) return { id, object: 'customer', deleted: true };
    return {
      id,
      object: 'customer',
      balance: 0,
      created,
      ...nulls('default_source', 'description', 'phone', 'shipping'),
      email,
      invoice_settings: nulls('custom_fields', 'default_payment_method', 'footer', 'rendering_options'),
      livemode,
      metadata,
      name,
    };
  }

  checkout(checkout: SandboxCheckout) {
    const { id, created, customerId, priceId, status, subscriptionId } = checkout;
    const amount = this.#prices.get(priceId)?.amount ?? 0;
    return {
      id,
      object: 'checkout.session',
      ...unusedByCheckout,
      amount_subtotal: amount,
      amount_total: amount,
      automatic_tax: { enabled: false, ...nulls('liability', 'provider', 'status') },
      cancel_url: checkout.cancelUrl,
      client_reference_id: checkout.clientReferenceId,
      created,
      currency,
      custom_fields: [],
      custom_text: nulls('after_submit', 'shipping_address', 'submit', 'terms_of_service_acceptance'),
      customer: customerId,
      expires_at: checkout.expiresAt,
      livemode,
      metadata: checkout.metadata,
      mode: 'subscription',
      payment_method_types: ['card'],
      payment_status: status === 'complete' ? 'paid' : 'unpaid',
      shipping_options: [],
      status,
      subscription: subscriptionId,
      success_url: checkout.successUrl,
      ui_mode: 'hosted_page',
      url: status === 'open' ? `${this.#origin}/c/pay/${id}` : null,
    };
  }

  portal({ id, created, customerId, returnUrl }: SandboxPortal) {
    return {
      id,
      object: 'billing_portal.session',
      configuration: 'bpc_sandbox',
      created,
      customer: customerId,
      ...nulls('customer_account', 'flow', 'locale', 'on_behalf_of'),
      livemode,
      return_url: returnUrl,
      url: `${this.#origin}/p/session/${id}`,
    };
  }

  subscription(subscription: SandboxSubscription) {
    const { id, created, customerId, status, canceledAt, endedAt, cancelAtPeriodEnd, periodEnd } = subscription;
    return {
      id,
      object: 'subscription',
      ...unusedBySubscription,
      automatic_tax: { enabled: false, ...nulls('disabled_reason', 'liability') },
      billing_cycle_anchor: created,
      billing_mode: { type: 'flexible', flexible: {} },
      billing_schedules: [],
      cancel_at: cancelAtPeriodEnd ? periodEnd : null,
      cancel_at_period_end: cancelAtPeriodEnd,
      canceled_at: canceledAt,
      collection_method: 'charge_automatically',
      created,
      currency,
      customer: customerId,
      discounts: [],
      ended_at: endedAt,
      invoice_settings: {
        ...nulls('account_tax_ids', 'custom_fields', 'description', 'footer'),
        issuer: { type: 'self' },
      },
      items: list(`/v1/subscription_items?subscription=${id}`, [this.#item(subscription)]),
      latest_invoice: subscription.latestInvoiceId,
      livemode,
      metadata: subscription.metadata,
      start_date: created,
      status,
    };
  }

  invoice({ id, created, subscription, amount, reason, paid }: SandboxInvoice) {
    const { periodStart: start, periodEnd: end, metadata } = subscription;
    return {
      id,
      object: 'invoice',
      ...unusedByInvoice,
      amount_due: amount,
      amount_overpaid: 0,
      amount_paid: paid ? amount : 0,
      amount_remaining: paid ? 0 : amount,
      amount_shipping: 0,
      attempt_count: 1,
      attempted: true,
      automatic_tax: { enabled: false, ...nulls('disabled_reason', 'liability', 'provider', 'status') },
      billing_reason: reason,
      collection_method: 'charge_automatically',
      created,
      currency,
      customer: subscription.customerId,
      default_tax_rates: [],
      discounts: [],
      issuer: { type: 'self' },
      lines: list(`/v1/invoices/${id}/lines`, []),
      livemode,
      metadata: {},
      parent: {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { metadata, subscription: subscription.id },
      },
      payment_settings: nulls('default_mandate', 'payment_method_options', 'payment_method_types'),
      period_end: end,
      period_start: start,
      post_payment_credit_notes_amount: 0,
      pre_payment_credit_notes_amount: 0,
      starting_balance: 0,
      status: paid ? 'paid' : 'open',
      status_transitions: {
        ...nulls('marked_uncollectible_at', 'voided_at'),
        finalized_at: created,
        paid_at: paid ? created : null,
      },
      subtotal: amount,
      total: amount,
    };
  }

  price(priceId: string, created: number) {
    const { name = null, amount = 0 } = this.#prices.get(priceId) ?? {};
    return {
      ...commonOfPrice(priceId, created, name),
      object: 'price',
      ...nulls('custom_unit_amount', 'lookup_key', 'transform_quantity'),
      recurring: { ...recurring, ...unusedOfPrice },
      tax_behavior: 'unspecified',
      type: 'recurring',
      unit_amount: amount,
      unit_amount_decimal: String(amount),
    };
  }

  /** Since 2025 the period is the item's. */
  #item({ id, itemId, created, priceId, periodStart, periodEnd }: SandboxSubscription) {
    const { name = null, amount = 0 } = this.#prices.get(priceId) ?? {};
    return {
      id: itemId,
      object: 'subscription_item',
      ...nulls('billing_thresholds', 'current_trial'),
      created,
      current_period_end: periodEnd,
      current_period_start: periodStart,
      discounts: [],
      metadata: {},
      plan: {
        ...commonOfPrice(priceId, created, name),
        ...recurring,
        ...unusedOfPrice,
        object: 'plan',
        amount,
        amount_decimal: String(amount),
        transform_usage: null,
      },
      price: this.price(priceId, created),
      quantity: 1,
      subscription: id,
      tax_rates: [],
    };
  }
}

const recurring = { interval: 'month', interval_count: 1, usage_type: 'licensed' };
const unusedOfPrice = nulls('meter', 'trial_period_days');

/** What a price and the older plan have in common. */
function commonOfPrice(id: string, created: number, nickname: string | null) {
  const unit = { active: true, billing_scheme: 'per_unit', created, currency, livemode, metadata: {} };
  return { id, ...unit, nickname, product: 'prod_sandbox', tiers_mode: null };
}

const list = <Item>(url: string, data: Item[]) => ({ object: 'list', data, has_more: false, url });
