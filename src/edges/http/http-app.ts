import { randomUUID } from 'node:crypto';
import Router, { type RouterContext } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { config } from '../../config/config.js';
import { anonymous } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { cutUrl } from '../../lib/cut-url.js';
import { AppError, Unauthenticated } from '../../lib/errors.js';
import { markup } from '../../lib/html.js';
import { logger, logRequest, withLogContext } from '../../lib/logger.js';
import { httpDuration, internalErrors } from '../../lib/metrics.js';
import { traced, untraced } from '../../lib/traced.js';
import { type Locale, locale, t, withLocale } from '../../lib/translate.js';
import { authenticate, nobody } from './authenticate.js';
import { requireAddresses } from './client-address.js';
import { readDashboard, serveDashboard } from './pages/dashboard-files.js';
import { page, pageText } from './pages/html-page.js';
import { refusalOf, retryAfterSeconds, toProblem } from './problem.js';
import type { RateLimits } from './rate-limits.js';
import { checkRefusal } from './refusals.js';
import type { Route } from './route.js';
import { securityHeaders } from './security-headers.js';
import { countRequest, serveRoute } from './serve-route.js';

/** The format for a caller's own request id: printable, without spaces, at most 64 characters. */
const requestIdFormat = /^[\w.:-]{1,64}$/;

/** The Koa application that serves `routes`, which must be in mounting order. */
export function createHttpApp(routes: readonly Route[], rateLimits: RateLimits): Koa {
  const app = new Koa({ proxy: config().trustProxy > 0, maxIpsCount: config().trustProxy });
  // Paths match exactly: a path that a proxy blocks by its spelling has no other spelling here.
  const router = new Router({ strict: true, sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method.toLowerCase()], (ctx: Context) => answerRoute(route, rateLimits, ctx));
  }
  app.use(identifyRequest);
  const headers = Object.entries(securityHeaders());
  app.use((ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  });
  app.use(answerProblems);
  app.use(requireAddresses);
  app.use(serveDashboard(readDashboard()));
  app.use(router.routes());
  app.use((ctx) => answerUnrouted(routes, rateLimits, ctx));
  app.on('error', (error: unknown) => logger.warn({ err: error }, 'connection failed'));
  return app;
}

/** The available language that the caller understands best (Accept-Language, RFC 9110 §12.5.4); default English. */
function languageFor(ctx: Context): Locale {
  return ctx.get('accept-language') === '' ? 'en' : locale.catch('en').parse(ctx.acceptsLanguages([...locale.options]));
}

const isApiPath = (ctx: Context): boolean => ctx.path.startsWith('/api/');

/** Probes come all the time, also from `doctor`: without a caller's trace they would only fill the traces. */
const isLoneProbe = (ctx: Context): boolean =>
  (ctx.path === '/healthz' || ctx.path === '/readyz') && ctx.get('traceparent') === '';

/** Gives the request its id, its log lines and its measured time. */
async function identifyRequest(ctx: Context, next: Next): Promise<void> {
  const given = ctx.get('x-request-id');
  const requestId = requestIdFormat.test(given) ? given : randomUUID();
  ctx.state.requestId = requestId;
  ctx.set('x-request-id', requestId);
  // The API's answers are personal: no cache on the way may store them (RFC 9111 §5.2.2.5).
  if (isApiPath(ctx)) ctx.set('cache-control', 'no-store');
  const started = clock.monotonicMs();
  const attributes = { 'http.request.method': ctx.method, 'rolelink.request_id': requestId };
  const start = { name: ctx.method, kind: 'server', attributes, traceparent: ctx.get('traceparent') } as const;
  const within = isLoneProbe(ctx) ? untraced : traced;
  const serve = (): Promise<void> =>
    within(start, async (span) => {
      await withLocale(languageFor(ctx), next);
      const ms = clock.monotonicMs() - started;
      const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'none';
      if (route !== 'none') span?.rename(`${ctx.method} ${route}`);
      span?.note({ 'http.response.status_code': ctx.status });
      httpDuration.observe({ method: ctx.method, route, status: String(ctx.status) }, ms / 1000);
      logRequest({ method: ctx.method, path: cutUrl(ctx.path), status: ctx.status, ms: Math.round(ms) });
    });
  await withLogContext({ requestId }, serve);
}

/** A request for a page gets its refusal as a page. */
async function answerUnrouted(routes: readonly Route[], rateLimits: RateLimits, ctx: Context): Promise<void> {
  try {
    await refuseUnrouted(routes, rateLimits, ctx);
  } catch (thrown) {
    if (isApiPath(ctx) || ctx.accepts('json', 'html') !== 'html') throw thrown;
    sendErrorPage(ctx, thrown);
  }
}

/**
 * Refuses an unrouted request: 405 with the methods allowed on the path (RFC 9110 §15.5.6), else 404. A platform
 * admin's path is a 404 for everyone else.
 */
async function refuseUnrouted(routes: readonly Route[], rateLimits: RateLimits, ctx: Context): Promise<never> {
  await countRequest(rateLimits, anonymous, ctx);
  const { matched = [] } = ctx as Partial<RouterContext>;
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].join(', ');
  const paths = new Set(matched.map(({ path }) => path));
  const isHidden = routes.some(({ path, options }) => options.access.kind === 'platform_admin' && paths.has(path));
  if (allowed === '' || (isHidden && !(await isPlatformAdmin(ctx)))) ctx.throw(404, t('page.nothing_here'));
  ctx.set('allow', allowed);
  ctx.throw(405, t('page.method_refused', { methods: allowed }));
}

/** A caller with invalid credentials is not an admin. */
async function isPlatformAdmin(ctx: Context): Promise<boolean> {
  const { actor } = await authenticate(ctx).catch(() => nobody);
  return actor.platformAdmin;
}

async function answerProblems(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (thrown) {
    const error = refusalOf(thrown);
    const problem = toProblem(error, String(ctx.state.requestId));
    if (problem.status === 500) internalErrors.inc({ place: 'request' });
    if (problem.status >= 500 && !(thrown instanceof AppError)) logger.error({ err: thrown }, 'request failed');
    ctx.status = problem.status;
    setErrorHeaders(ctx, error);
    ctx.type = 'application/problem+json; charset=utf-8';
    ctx.body = JSON.stringify(problem);
  }
}

function setErrorHeaders(ctx: Context, error: unknown): void {
  if (!(error instanceof AppError)) return;
  if (error instanceof Unauthenticated) ctx.set('www-authenticate', error.scheme);
  const { retryAfterSeconds: known = error.kind === 'unavailable' ? retryAfterSeconds : undefined } = error.details;
  if (typeof known === 'number') ctx.set('retry-after', String(known));
}

async function serveChecked(route: Route, rateLimits: RateLimits, ctx: Context): Promise<void> {
  try {
    await serveRoute(route, rateLimits, ctx);
  } catch (thrown) {
    checkRefusal(route, toProblem(refusalOf(thrown), ''));
    throw thrown;
  }
}

const isForPeople = ({ options: { page: isPage, opened } }: Route, ctx: Context): boolean =>
  isPage === true || (opened === true && ctx.accepts('json', 'html') === 'html');

function answerRoute(route: Route, rateLimits: RateLimits, ctx: Context): Promise<void> {
  if (isForPeople(route, ctx)) return answerOnPage(route, rateLimits, ctx);
  return config().checkAnswers ? serveChecked(route, rateLimits, ctx) : serveRoute(route, rateLimits, ctx);
}

/** A page's refusals are pages too. A signed-out person signs in first and returns. */
async function answerOnPage(route: Route, rateLimits: RateLimits, ctx: Context): Promise<void> {
  ctx.vary('accept-language');
  try {
    await serveRoute(route, rateLimits, ctx);
  } catch (thrown) {
    const isSignedOut = thrown instanceof AppError && thrown.kind === 'unauthenticated' && route.method === 'GET';
    if (isSignedOut) ctx.redirect(`/api/auth/login?returnTo=${encodeURIComponent(ctx.url)}`);
    else sendErrorPage(ctx, thrown);
  }
}

/** Shows the error with the next step: after a failed sign-in, another attempt. */
function sendErrorPage(ctx: Context, thrown: unknown): void {
  const error = refusalOf(thrown);
  const { status, title, detail, code, requestId: id } = toProblem(error, String(ctx.state.requestId));
  if (status === 500) internalErrors.inc({ place: 'request' });
  if (status >= 500 && !(thrown instanceof AppError)) logger.error({ err: thrown }, 'page failed');
  const isSignIn = code === 'sign_in_failed';
  const again = isSignIn && markup`<a class="button" href="/sign-in">${t('page.sign_in_again')}</a> `;
  ctx.status = status;
  setErrorHeaders(ctx, error);
  ctx.vary('accept-language');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page(
    isSignIn ? t('page.not_signed_in') : title,
    markup`<p>${detail}</p>
<p class="buttons">${again}<a class="button plain" href="/">${t('page.to_start')}</a></p>
<p><small>${pageText('page.request_id', { id })}</small></p>`,
  );
}
