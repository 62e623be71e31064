import { EventEmitter } from 'node:events';
import type { Context, Middleware } from 'koa';
import type { Exchange, ExchangeObserver } from './exchange.js';

/** Emits `answer` after each request to a stand-in of this process, answered or dropped. */
export const answers = new EventEmitter().setMaxListeners(0);

/** One request that a sandbox was asked, by real host and path; `status` is 0 when the socket was dropped unanswered. */
export interface RecordedRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly status: number;
}

/** How one stand-in's requests are noted and shown. */
export interface Recording {
  readonly provider: Exchange['provider'];
  /** Where each request is noted. */
  readonly requests: RecordedRequest[];
  readonly observe: ExchangeObserver | undefined;
  /** A request's real host and path. */
  placeOf(ctx: Context): { host: string; path: string };
  /** What the observer is shown where that is not the exchange as it went over the wire. */
  shown?(exchange: Exchange, ctx: Context): Partial<Exchange>;
}

/** Notes each request after its answer is made, and shows the whole exchange to the observer. */
export function recordExchanges({ provider, requests, observe, placeOf, shown }: Recording): Middleware {
  return async (ctx, next) => {
    await next();
    const { method, status } = ctx;
    const dropped = ctx.respond === false;
    const place = placeOf(ctx);
    requests.push({ method, ...place, status: dropped ? 0 : status });
    answers.emit('answer');
    if (dropped || !observe) return;
    const exchange: Exchange = {
      provider,
      ...place,
      method,
      query: ctx.URL.searchParams,
      requestHeaders: ctx.headers,
      requestBody: method === 'GET' ? undefined : ctx.request.body,
      status,
      responseHeaders: ctx.response.headers,
      responseBody: ctx.body ?? undefined,
    };
    observe({ ...exchange, ...shown?.(exchange, ctx) });
  };
}
