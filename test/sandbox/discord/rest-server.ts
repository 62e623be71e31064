import { Router } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { logger } from '../../../src/lib/logger.js';
import type { ExchangeObserver } from '../kit/exchange.js';
import type { FaultList } from '../kit/fault-list.js';
import { DiscordError, fieldError } from './discord-error.js';
import type { Call, Credential, Endpoint } from './endpoint.js';
import { type RequestLog, recordExchanges } from './exchange-recorder.js';
import { applyFaults } from './fault-injection.js';
import type { OAuthDesk, StoredAuthorization } from './oauth-desk.js';
import { type RateLimiter, rateLimitBody } from './rate-limiter.js';
import { readBody, readFiles } from './request-body.js';

export interface RestParts {
  readonly endpoints: readonly Endpoint[];
  readonly oauth: OAuthDesk;
  readonly log: RequestLog;
  readonly faults: FaultList;
  /** Absent when rate limits are switched off. */
  readonly limiter: RateLimiter | undefined;
  readonly observe: ExchangeObserver | undefined;
}

/** Discord's REST interface under `/api`, with or without `/v10`. */
export function restApp(parts: RestParts): Koa {
  const router = new Router();
  for (const endpoint of parts.endpoints) mount(router, endpoint, parts);
  const app = new Koa();
  app.silent = true;
  app.use(recordExchanges(parts.log, parts.observe));
  // The body is read before the faults strike, so that what was sent is known even where nothing is done with it.
  app.use(answerErrors);
  app.use(readBody);
  app.use(applyFaults(parts.faults));
  app.use(answerErrors);
  app.use(stripBase);
  app.use(router.routes());
  app.use(() => {
    throw new DiscordError('notFound');
  });
  return app;
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

function callOf(ctx: Context, bearer: StoredAuthorization | undefined): Call {
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
function authenticate(ctx: Context, wanted: Credential, oauth: OAuthDesk): StoredAuthorization | undefined {
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

/** Puts refusals into Discord's words; a fault of the sandbox itself is a 500 and in the log. */
async function answerErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof DiscordError) {
      ctx.status = error.status;
      ctx.body = error.body;
      return;
    }
    logger.error({ err: error, path: ctx.originalUrl }, 'The Discord sandbox failed.');
    ctx.status = 500;
    ctx.body = { message: '500: Internal Server Error', code: 0 };
  }
}
