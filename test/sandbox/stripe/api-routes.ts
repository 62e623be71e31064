import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { SandboxCustomer } from './stripe-objects.js';
import type { StripeState } from './stripe-state.js';
import { invalidRequest, missing } from './wire-errors.js';
import type { WireViews } from './wire-views.js';

const metadata = z.record(z.string(), z.string()).default({});
const url = z.url({ protocol: /^https?$/ });

const customerForm = z.strictObject({
  name: z.string().max(256).nullable().default(null),
  email: z.string().max(512).nullable().default(null),
  metadata,
});

const checkoutForm = z.strictObject({
  mode: z.literal('subscription'),
  line_items: z.tuple([z.strictObject({ price: z.string(), quantity: z.literal('1') })]),
  customer: z.string(),
  success_url: url,
  cancel_url: url.nullable().default(null),
  client_reference_id: z.string().max(200).nullable().default(null),
  metadata,
  subscription_data: z.strictObject({ metadata }).default({ metadata: {} }),
});

const portalForm = z.strictObject({ customer: z.string(), return_url: url.nullable().default(null) });

/** The operations in Stripe's API that the service uses, with the parameters that it sends. */
export function apiRoutes(state: StripeState, views: WireViews): Router {
  const router = new Router({ prefix: '/v1' });

  router.post('/customers', (ctx) => {
    ctx.body = views.customer(state.addCustomer(readForm(customerForm, ctx)));
  });

  router.get('/customers/:id', (ctx) => {
    ctx.body = views.customer(find(state.customers, 'customer', ctx.params.id));
  });

  router.post('/checkout/sessions', (ctx) => {
    const form = readForm(checkoutForm, ctx);
    const [{ price }] = form.line_items;
    if (!state.prices.has(price)) throw missing('price', price, 'line_items[0][price]', 400);
    const checkout = state.addCheckout({
      customerId: requireCustomer(state, form.customer).id,
      priceId: price,
      successUrl: form.success_url,
      cancelUrl: form.cancel_url,
      clientReferenceId: form.client_reference_id,
      metadata: form.metadata,
      subscriptionMetadata: form.subscription_data.metadata,
    });
    ctx.body = views.checkout(checkout);
  });

  router.get('/checkout/sessions/:id', (ctx) => {
    ctx.body = views.checkout(find(state.checkouts, 'checkout session', ctx.params.id));
  });

  router.post('/billing_portal/sessions', (ctx) => {
    const form = readForm(portalForm, ctx);
    ctx.body = views.portal(state.addPortal(requireCustomer(state, form.customer).id, form.return_url));
  });

  router.get('/prices/:id', (ctx) => {
    const { id } = find(state.prices, 'price', ctx.params.id);
    ctx.body = views.price(id, 1);
  });

  router.get('/webhook_endpoints', (ctx) => {
    ctx.body = { object: 'list', url: '/v1/webhook_endpoints', has_more: false, data: state.webhookEndpoints };
  });

  router.get('/subscriptions/:id', (ctx) => {
    ctx.body = views.subscription(find(state.subscriptions, 'subscription', ctx.params.id));
  });

  return router;
}

function find<Item>(items: ReadonlyMap<string, Item>, what: string, id = ''): Item {
  const found = items.get(id);
  if (found === undefined) throw missing(what, id, 'id', 404);
  return found;
}

/** A customer that a parameter names; a deleted one is as good as none. */
function requireCustomer(state: StripeState, id: string): SandboxCustomer {
  const customer = state.customers.get(id);
  if (!customer || customer.deleted) throw missing('customer', id, 'customer', 400);
  return customer;
}

/** Reads a POST's decoded form. Stripe names the first parameter that is wrong, in brackets. */
function readForm<Shape extends z.ZodType>(shape: Shape, ctx: Context): z.output<Shape> {
  const parsed = shape.safeParse(ctx.request.body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  const param = path.map(String).reduce((name, part) => (name === '' ? part : `${name}[${part}]`), '');
  if (issue?.code === 'unrecognized_keys') {
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  throw invalidRequest(`Invalid ${param}: ${issue?.message ?? ''}`, { param });
}
