import type { Middleware } from 'koa';
import type { ExchangeObserver } from '../kit/exchange.js';

/** Stripe's real host. */
export const stripeHost = 'api.stripe.com';

/** One line of what the sandbox was asked; `status` is 0 when the socket was dropped without an answer. */
export interface RecordedRequest {
  method: string;
  path: string;
  status: number;
  idempotencyKey: string | undefined;
}

/** Notes each request after its answer is made, and shows the whole exchange to the observer. */
export function recordExchanges(requests: RecordedRequest[], observe?: ExchangeObserver): Middleware {
  return async (ctx, next) => {
    await next();
    const { method, path } = ctx;
    const dropped = ctx.respond === false;
    const idempotencyKey = ctx.get('idempotency-key') || undefined;
    requests.push({ method, path, status: dropped ? 0 : ctx.status, idempotencyKey });
    if (dropped || !observe) return;
    observe({
      provider: 'stripe',
      host: stripeHost,
      method,
      path,
      query: ctx.URL.searchParams,
      requestHeaders: ctx.request.headers,
      requestBody: method === 'GET' ? undefined : ctx.request.body,
      status: ctx.status,
      responseHeaders: ctx.response.headers,
      responseBody: ctx.body ?? undefined,
    });
  };
}
