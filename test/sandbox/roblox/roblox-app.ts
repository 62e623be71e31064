import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { logger } from '../../../src/lib/logger.js';
import { controlApi } from '../kit/control-api.js';
import type { Exchange, ExchangeObserver } from '../kit/exchange.js';
import { type RecordedRequest, recordExchanges } from '../kit/exchange-recorder.js';
import { applyFaults } from '../kit/fault-injection.js';
import type { FaultList } from '../kit/fault-list.js';
import { answerErrors } from '../kit/wire-error.js';
import { apiKeyRoutes } from './api-key-routes.js';
import { checkCloudCredentials } from './cloud-credentials.js';
import { cloudRoutes } from './cloud-routes.js';
import { consentPage } from './consent-page.js';
import { controlPage } from './control-page.js';
import { controlVerbs, describeState } from './control-verbs.js';
import { answerFault, type RobloxFault } from './faults.js';
import { groupLogRoutes } from './group-log-routes.js';
import { groupsRoutes } from './groups-routes.js';
import { headshotImages } from './headshot-image.js';
import type { OAuthApp } from './oauth-consent.js';
import { oauthRoutes } from './oauth-routes.js';
import type { OAuthTokens } from './oauth-tokens.js';
import { limitRates } from './rate-limits.js';
import type { RobloxSandbox } from './roblox-sandbox.js';
import type { RobloxState } from './roblox-state.js';
import { thumbnailsRoutes } from './thumbnails-routes.js';
import { usersRoutes } from './users-routes.js';
import { isOAuth, robloxHosts, type WireState } from './wire-context.js';
import { legacyError, unreadableBody } from './wire-errors.js';

/** What the sandbox's HTTP side works on. */
export interface RobloxAppParts {
  sandbox: RobloxSandbox;
  state: RobloxState;
  tokens: OAuthTokens;
  oauthApp: OAuthApp;
  faults: FaultList<RobloxFault>;
  requests: RecordedRequest[];
  /** Undefined switches rate limits off. */
  legacyPerMinute: number | undefined;
  observe: ExchangeObserver | undefined;
}

/** The sandbox's own pages first; then Roblox, each request passing the same stations as on the real platform. */
export function createRobloxApp(parts: RobloxAppParts): Koa<WireState> {
  const { sandbox, state, tokens, oauthApp, faults, requests, legacyPerMinute, observe } = parts;
  const app = new Koa<WireState>();
  app.on('error', (error) => logger.error({ err: error }, 'the Roblox sandbox failed'));

  app.use(ownPages(parts).routes());
  app.use(resolveHost);
  const placeOf = ({ state: { host, realPath } }: Context) => ({ host, path: realPath });
  const shown = (exchange: Exchange, ctx: Context) => ({ responseBody: shownBody(exchange, ctx, sandbox.apisUrl) });
  app.use(recordExchanges({ provider: 'roblox', requests, observe, placeOf, shown }));
  app.use(answerErrors(() => legacyError(404, 0, 'NotFound'), unreadableBody));
  // Before the faults, so that what was sent is known even where nothing is done with it.
  app.use(koaBody({ jsonStrict: false }));
  app.use(applyFaults(faults, (ctx) => `${ctx.state.host}${ctx.state.realPath}`, answerFault));
  app.use(refuseOlderReads(state));
  app.use(checkCloudCredentials(state.key, tokens));
  if (legacyPerMinute !== undefined) app.use(limitRates(legacyPerMinute));
  app.use(usersRoutes(state).routes());
  app.use(groupsRoutes(state).routes());
  app.use(thumbnailsRoutes(state, sandbox.url).routes());
  app.use(cloudRoutes(state, sandbox.url).routes());
  app.use(groupLogRoutes(state).routes());
  app.use(apiKeyRoutes(state.key).routes());
  app.use(oauthRoutes(state, oauthApp, tokens, sandbox.url).routes());
  return app;
}

/** The older hosts once they require credentials, which no caller here has. */
function refuseOlderReads(state: RobloxState): Middleware<WireState> {
  const closed: string[] = [robloxHosts.users, robloxHosts.groups];
  return (ctx, next) => {
    if (state.olderReadsClosed && closed.includes(ctx.state.host)) {
      throw legacyError(401, 0, 'User is not authenticated');
    }
    return next();
  };
}

function ownPages({ sandbox, state, tokens, oauthApp }: RobloxAppParts): Router {
  const router = new Router();
  controlPage(router, state);
  headshotImages(router, state);
  consentPage(router, state, oauthApp, tokens);
  controlApi(router, sandbox, controlVerbs, () => describeState(state));
  return router;
}

/** Derives the real host and path from the sandbox's base path; any other path is a plain 404. */
const resolveHost: Middleware<WireState> = async (ctx, next) => {
  const [, base = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(ctx.path) ?? [];
  const host = Object.entries(robloxHosts).find(([name]) => name === base)?.[1];
  if (!host) return;
  ctx.state.host = host;
  ctx.state.realPath = path;
  await next();
};

/** The answer before a fault spoilt it; OAuth names its issuer by URL, which on the real platform is the real host. */
function shownBody({ responseBody }: Exchange, { state }: Context, apisUrl: string): unknown {
  const body = state.intendedBody ?? responseBody;
  if (!isOAuth(state) || typeof body !== 'object' || body === null) return body;
  return JSON.parse(JSON.stringify(body).replaceAll(apisUrl, 'https://apis.roblox.com'));
}
