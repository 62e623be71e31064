import type { Context, Middleware } from 'koa';
import type { ExchangeObserver } from '../kit/exchange.js';

/** One request that the sandbox was asked; `status` is 0 when the socket was dropped without an answer. */
export interface RecordedRequest {
  readonly method: string;
  /** With its base: `/api/v10/guilds/1`. */
  readonly path: string;
  readonly status: number;
}

/** All API requests so far, and how many of them count towards Discord's ban for invalid ones. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  /**
   * 401, 403 and 429, except for a 429 with scope `shared` (Discord's rules: 10,000 in ten minutes bar the address).
   */
  invalid = 0;

  add(ctx: Context): void {
    const status = ctx.respond === false ? 0 : ctx.status;
    this.requests.push({ method: ctx.method, path: apiPath(ctx), status });
    const shared = ctx.response.get('x-ratelimit-scope') === 'shared';
    if (status === 401 || status === 403 || (status === 429 && !shared)) this.invalid += 1;
  }

  forget(): void {
    this.requests.length = 0;
  }
}

/**
 * Notes each request after its answer is made, and shows the whole exchange to the observer; a path without a version
 * is shown with version 10, since contracts are written for that.
 */
export function recordExchanges(log: RequestLog, observe: ExchangeObserver | undefined): Middleware {
  return async (ctx, next) => {
    await next();
    log.add(ctx);
    if (!observe || ctx.respond === false) return;
    observe({
      provider: 'discord',
      host: 'discord.com',
      method: ctx.method,
      path: apiPath(ctx).replace(/^\/api\/(?!v\d)/, '/api/v10/'),
      query: ctx.URL.searchParams,
      requestHeaders: ctx.headers,
      requestBody: ctx.request.body,
      status: ctx.status,
      responseHeaders: ctx.response.headers,
      responseBody: ctx.body == null ? undefined : JSON.parse(JSON.stringify(ctx.body)),
    });
  };
}

function apiPath(ctx: Context): string {
  return (ctx.originalUrl.split('?')[0] ?? '').replaceAll(/%40/gi, '@');
}
