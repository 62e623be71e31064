import { Router } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { logger } from '../../../src/lib/logger.js';
import type { Exchange, ExchangeObserver, Fault } from '../kit/exchange.js';
import { type RecordedRequest, recordExchanges } from '../kit/exchange-recorder.js';
import { applyFaults, reshapeAnswer, retryAfterHeader } from '../kit/fault-injection.js';
import type { FaultList } from '../kit/fault-list.js';
import { answerErrors, WireError } from '../kit/wire-error.js';
import { DiscordError, fieldError } from './discord-error.js';
import type { Call, Credential, Endpoint } from './endpoint.js';
import type { Bearer, OAuthDesk } from './oauth-desk.js';
import { type RateLimiter, rateLimitBody } from './rate-limiter.js';
import { readBody, readFiles } from './request-body.js';

export interface RestParts {
  readonly endpoints: readonly Endpoint[];
  readonly oauth: OAuthDesk;
  readonly requests: RecordedRequest[];
  readonly faults: FaultList;
  /** Absent when rate limits are switched off. */
  readonly limiter: RateLimiter | undefined;
  readonly observe: ExchangeObserver | undefined;
  /** Called after each answer that was sent. */
  onAnswer(ctx: Context): void;
}

/** Discord's REST interface under `/api`, with or without `/v10`. */
export function restApp(parts: RestParts): Koa {
  const router = new Router();
  for (const endpoint of parts.endpoints) mount(router, endpoint, parts);
  const app = new Koa();
  app.silent = true;
  const { requests, observe, faults } = parts;
  app.use(reshapeAnswer);
  app.use(recordExchanges({ provider: 'discord', requests, observe, placeOf, shown }));
  app.use(async (ctx, next) => {
    await next();
    if (ctx.respond !== false) parts.onAnswer(ctx);
  });
  const refusals = answerErrors(() => new DiscordError('notFound'), internalError);
  // The body is read before the faults strike, so that what was sent is known even where nothing is done with it.
  app.use(refusals);
  app.use(readBody);
  app.use(applyFaults(faults, ({ path }) => `discord.com${path}`, answerFault));
  app.use(refusals);
  app.use(stripBase);
  app.use(router.routes());
  return app;
}

/** The real host, and the path with its base: `/api/v10/guilds/1`. */
function placeOf(ctx: Context): { host: string; path: string } {
  return { host: 'discord.com', path: (ctx.originalUrl.split('?')[0] ?? '').replaceAll(/%40/gi, '@') };
}

/** A path without a version is shown with version 10, since contracts are written for that; the body as JSON says it. */
function shown({ path, responseBody }: Exchange): Partial<Exchange> {
  return {
    path: path.replace(/^\/api\/(?!v\d)/, '/api/v10/'),
    responseBody: responseBody === undefined ? undefined : JSON.parse(JSON.stringify(responseBody)),
  };
}

function answerFault(ctx: Context, fault: Fault): void {
  const { status, retryAfter = 1, code = 0 } = fault;
  if (status === undefined) return;
  ctx.status = status;
  if (status === 429) {
    ctx.set({ ...retryAfterHeader({ ...fault, retryAfter }), 'X-RateLimit-Scope': 'user' });
    ctx.body = rateLimitBody(retryAfter, false);
  } else {
    ctx.body = { message: `${status}: injected by the sandbox`, code };
  }
}

function mount(router: Router, endpoint: Endpoint, { oauth, limiter }: RestParts): void {
  const [method = '', path = ''] = endpoint.endpoint.split(' ');
  router.register(path, [method.toLowerCase()], async (ctx) => {
    const bearer = authenticate(ctx, endpoint.credential, oauth);
    if (limiter && !countCall(ctx, endpoint, limiter)) return;
    const answer = await endpoint.handle(callOf(ctx, bearer));
    ctx.status = answer.status;
    if (answer.body !== undefined) ctx.body = answer.body;
  });
}

function callOf(ctx: Context, bearer: Bearer | undefined): Call {
  return {
    params: ctx.params,
    query: ctx.URL.searchParams,
    body: ctx.request.body,
    files: readFiles(ctx),
    headers: ctx.headers,
    reason: auditLogReason(ctx),
    bearer,
  };
}

/** Whose call it is; throws 401. Calls whose path holds the credential need no header. */
function authenticate(ctx: Context, wanted: Credential, oauth: OAuthDesk): Bearer | undefined {
  if (wanted === 'none') return undefined;
  const [scheme, token = ''] = ctx.get('authorization').split(' ');
  const isBot = scheme === 'Bot' && token === oauth.state.application.botToken;
  if (isBot && wanted !== 'bearer') return undefined;
  const bearer = scheme === 'Bearer' && wanted !== 'bot' ? oauth.findByAccessToken(token) : undefined;
  if (!bearer) throw new DiscordError('unauthorized');
  return bearer;
}

/** Counts the call against its limits and sets the headers; answers 429 and gives false when it is one too many. */
function countCall(ctx: Context, { endpoint, credential }: Endpoint, limiter: RateLimiter): boolean {
  const { guildId, channelId, token } = ctx.params;
  const caller = credential === 'none' ? undefined : ctx.get('authorization');
  // People are counted by themselves, the bot by guild, channel or webhook.
  const isPerson = caller?.startsWith('Bearer ') === true;
  const subject = isPerson ? caller : (guildId ?? channelId ?? token ?? '');
  const verdict = limiter.take(endpoint, subject, caller);
  ctx.set(verdict.headers);
  if (verdict.allowed) return true;
  ctx.status = 429;
  ctx.body = rateLimitBody(verdict.retryAfter, verdict.global);
  return false;
}

/** 1 to 512 characters, URL-encoded UTF-8 (Discord's audit-log documentation). */
function auditLogReason(ctx: Context): string | null {
  const encoded = ctx.get('x-audit-log-reason');
  if (encoded === '') return null;
  const reason = decodeUri(encoded);
  if ([...reason].length > 512) {
    throw fieldError(['reason'], 'BASE_TYPE_BAD_LENGTH', 'Must be 512 or fewer in length.');
  }
  return reason;
}

/** A stray percent sign is taken as it is. */
function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function stripBase(ctx: Context, next: Next): Promise<void> {
  ctx.path = ctx.path.replace(/^\/api(\/v10)?(?=\/)/, '').replaceAll(/%40/gi, '@');
  await next();
}

/** Any error that is no refusal is the sandbox's own fault: in the log, and answered with 500. */
function internalError(error: unknown, ctx: Context): WireError {
  logger.error({ err: error, path: ctx.originalUrl }, 'The Discord sandbox failed.');
  return new WireError(500, { message: '500: Internal Server Error', code: 0 });
}
