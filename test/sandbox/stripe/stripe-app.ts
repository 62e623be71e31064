import { timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { logger } from '../../../src/lib/logger.js';
import type { ExchangeObserver } from '../kit/exchange.js';
import { type RecordedRequest, recordExchanges } from '../kit/exchange-recorder.js';
import { applyFaults, reshapeAnswer } from '../kit/fault-injection.js';
import type { FaultList } from '../kit/fault-list.js';
import { html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { answerErrors } from '../kit/wire-error.js';
import { apiRoutes } from './api-routes.js';
import { checkoutPage } from './checkout-page.js';
import { failAsTold, type WireState } from './faults.js';
import { replayIdempotent } from './idempotency.js';
import { portalPage } from './portal-page.js';
import type { StripeState } from './stripe-state.js';
import { invalidRequest, unknownRoute } from './wire-errors.js';
import type { WireViews } from './wire-views.js';

/** Stripe's real host. */
const stripeHost = 'api.stripe.com';

/** What the sandbox's HTTP side works on. */
export interface StripeAppParts {
  state: StripeState;
  views: WireViews;
  secretKey: string;
  faults: FaultList;
  requests: RecordedRequest[];
  observe: ExchangeObserver | undefined;
}

/** The pages for people first; then the API, each request passing the same stations as on the real platform. */
export function createStripeApp({
  state,
  views,
  secretKey,
  faults,
  requests,
  observe,
}: StripeAppParts): Koa<WireState> {
  const app = new Koa<WireState>();
  app.on('error', (error) => logger.error({ err: error }, 'the Stripe sandbox failed'));
  app.use(pages(state).routes());
  const placeOf = ({ path }: { path: string }) => ({ host: stripeHost, path });
  app.use(reshapeAnswer);
  app.use(recordExchanges({ provider: 'stripe', requests, observe, placeOf }));
  const refusals = answerErrors(unknownRoute, (error) => {
    throw error;
  });
  app.use(refusals);
  app.use(koaBody({ json: false, text: false }));
  app.use(requireKey(secretKey));
  app.use(applyFaults(faults, ({ path }) => `${stripeHost}${path}`));
  app.use(replayIdempotent());
  // Once more, as the answer to an idempotency key can be an error too.
  app.use(refusals);
  app.use(failAsTold);
  app.use(apiRoutes(state, views).routes());
  return app;
}

function pages(state: StripeState): Router {
  const router = new Router();
  router.get('/', (ctx) => {
    const all = [...state.subscriptions.values()];
    ctx.body = htmlPage(
      'Stripe sandbox',
      html`<p>Begin a checkout, or open the customer portal, from Rolelink.</p>
      <h2>Subscriptions</h2>
      <ul>${all.map(({ id, status, priceId }) => html`<li>${id}: ${state.prices.get(priceId)?.name ?? '?'}, ${status}</li>`)}</ul>`,
    );
  });
  checkoutPage(router, state);
  portalPage(router, state);
  return router;
}

/** `Authorization: Bearer sk_test_…`. */
function requireKey(secretKey: string): Middleware {
  const expected = Buffer.from(`Bearer ${secretKey}`);
  return async (ctx, next) => {
    const given = Buffer.from(ctx.get('authorization'));
    if (given.length === 0) throw invalidRequest('You did not provide an API key.', {}, 401);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw invalidRequest('Invalid API Key provided.', {}, 401);
    }
    await next();
  };
}
