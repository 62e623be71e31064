import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { seeOther } from '../kit/page-form.js';
import type { SandboxCheckout } from './stripe-objects.js';
import type { StripeState } from './stripe-state.js';

const decisionForm = z.object({ decision: z.enum(['pay', 'cancel']) });

/** The page where a person pays, or goes back. */
export function checkoutPage(router: Router, state: StripeState): void {
  router.get('/c/pay/:id', (ctx) => {
    const checkout = state.checkouts.get(ctx.params.id ?? '');
    if (checkout) ctx.body = renderCheckout(state, checkout);
  });

  router.post('/c/pay/:id', koaBody(), (ctx) => {
    const checkout = state.checkouts.get(ctx.params.id ?? '');
    if (!checkout) return;
    if (checkout.status !== 'open') {
      ctx.status = 409;
      ctx.body = renderCheckout(state, checkout);
      return;
    }
    const { decision } = decisionForm.parse(ctx.request.body);
    if (decision === 'pay') state.pay(checkout);
    seeOther(ctx, decision === 'pay' ? checkout.successUrl : (checkout.cancelUrl ?? checkout.successUrl));
  });
}

function renderCheckout(state: StripeState, { id, priceId, status }: SandboxCheckout): string {
  const { name, amount } = state.prices.get(priceId) ?? { name: '?', amount: 0 };
  const form = html`<form method="post" action="/c/pay/${id}">
      <button name="decision" value="pay">Pay and subscribe</button>
      <button name="decision" value="cancel">Back without paying</button>
    </form>`;
  return htmlPage(
    'Stripe checkout (sandbox)',
    html`<p>Subscribe to ${name}: ${(amount / 100).toFixed(2)} € a month.</p>
    ${status === 'open' ? form : html`<p role="alert">This checkout is ${status}.</p>`}`,
  );
}
