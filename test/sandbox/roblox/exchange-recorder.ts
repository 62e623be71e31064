import type { Middleware } from 'koa';
import type { ExchangeObserver } from '../kit/exchange.js';
import { isOAuth, type WireState } from './wire-context.js';

/** One line of what the sandbox was asked; `status` is 0 when the socket was dropped without an answer. */
export interface RecordedRequest {
  method: string;
  host: string;
  path: string;
  status: number;
}

/** Notes each request after its answer is made, and shows the whole exchange to the observer. */
export function recordExchanges(
  requests: RecordedRequest[],
  apisUrl: string,
  observe?: ExchangeObserver,
): Middleware<WireState> {
  return async (ctx, next) => {
    await next();
    const { host, realPath: path } = ctx.state;
    const dropped = ctx.respond === false;
    requests.push({ method: ctx.method, host, path, status: dropped ? 0 : ctx.status });
    if (dropped || !observe) return;
    const body = ctx.state.intendedBody ?? ctx.body ?? undefined;
    observe({
      provider: 'roblox',
      host,
      method: ctx.method,
      path,
      query: ctx.URL.searchParams,
      requestHeaders: ctx.request.headers,
      requestBody: ctx.request.body,
      status: ctx.status,
      responseHeaders: ctx.response.headers,
      responseBody: isOAuth(ctx.state) ? withRealIssuer(body, apisUrl) : body,
    });
  };
}

/** OAuth answers name their issuer by URL, which on the real platform is the real host. */
function withRealIssuer(body: unknown, apisUrl: string): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return JSON.parse(JSON.stringify(body).replaceAll(apisUrl, 'https://apis.roblox.com'));
}
