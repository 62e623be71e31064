import type Router from '@koa/router';
import { z } from 'zod';
import { type Html, html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { alert, option, pageForm } from '../kit/page-form.js';
import { type SandboxSubscription, unixNow } from './stripe-objects.js';
import type { StripeState } from './stripe-state.js';

const changeForm = z.object({
  subscription: z.string(),
  action: z.enum(['cancel', 'resume', 'change', 'end', 'fail', 'renew']),
  price: z.string().optional(),
});

/** What can be done to a subscription at the portal; `end`, `fail` and `renew` are what time and banks do. */
export type PortalAction = z.output<typeof changeForm>['action'];

/** Does to a subscription what its button says. Throws in words for what cannot be done to it. */
export function actOn(state: StripeState, subscription: SandboxSubscription, action: PortalAction, price = ''): void {
  if (subscription.status === 'canceled') throw new Error('This subscription has ended.');
  const now = unixNow();
  const changes: Partial<Record<PortalAction, Partial<SandboxSubscription>>> = {
    cancel: { cancelAtPeriodEnd: true, canceledAt: now },
    resume: { cancelAtPeriodEnd: false, canceledAt: null },
    change: { priceId: price },
    end: { status: 'canceled', canceledAt: now, endedAt: now },
  };
  const change = changes[action];
  if (action === 'change' && !state.prices.has(price)) throw new Error('There is no such price.');
  if (change) state.change(subscription, change);
  else state.renew(subscription, action === 'renew');
}

/** The page where a customer manages their subscriptions, and the way back. */
export function portalPage(router: Router, state: StripeState): void {
  router.get('/p/session/:id', (ctx) => {
    const page = renderPortal(state, ctx.params.id ?? '');
    if (page !== undefined) ctx.body = page;
  });

  const act = (body: unknown, id: string) => {
    const form = changeForm.parse(body);
    const subscription = state.subscriptions.get(form.subscription);
    if (!subscription || subscription.customerId !== state.portals.get(id)?.customerId) {
      throw new Error('This is not a subscription of yours.');
    }
    actOn(state, subscription, form.action, form.price);
    return `/p/session/${id}`;
  };
  pageForm(
    router,
    '/p/session/:id',
    (body, ctx) => act(body, String(ctx.params.id)),
    (problem, ctx) => renderPortal(state, String(ctx.params.id), problem),
  );
}

function renderPortal(state: StripeState, portalId: string, problem?: string): string | undefined {
  const portal = state.portals.get(portalId);
  if (!portal) return undefined;
  const mine = [...state.subscriptions.values()].filter(({ customerId }) => customerId === portal.customerId);
  return htmlPage(
    'Stripe customer portal (sandbox)',
    html`${alert(problem)}
    ${mine.map((subscription) => renderSubscription(state, subscription, `/p/session/${portalId}`))}
    <p><a href="${portal.returnUrl ?? '/'}">Back to Rolelink</a></p>`,
  );
}

function renderSubscription(state: StripeState, subscription: SandboxSubscription, action: string): Html {
  const { id, priceId, status, cancelAtPeriodEnd, periodEnd } = subscription;
  const prices = [...state.prices.values()].map((price) =>
    option(price.id, `${price.name}, ${(price.amount / 100).toFixed(2)} €`),
  );
  const end = new Date(periodEnd * 1000).toISOString().slice(0, 10);
  return html`<h2>${state.prices.get(priceId)?.name ?? priceId}</h2>
    <p>${status}, ${cancelAtPeriodEnd ? 'ends' : 'renews'} on ${end}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="subscription" value="${id}">
      <button name="action" value="cancel">Cancel at the end of the period</button>
      <button name="action" value="resume">Don’t cancel</button>
      <label for="price-${id}">Plan</label><select id="price-${id}" name="price">${prices}</select>
      <button name="action" value="change">Change the plan</button>
      <h3>What time and banks do</h3>
      <button name="action" value="renew">Next month, paid</button>
      <button name="action" value="fail">Next month, payment fails</button>
      <button name="action" value="end">End now</button>
    </form>`;
}
