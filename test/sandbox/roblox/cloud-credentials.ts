import type { Middleware } from 'koa';
import type { ApiKey } from './api-key.js';
import type { OAuthTokens } from './oauth-tokens.js';
import { isOlderInCloud, isOpenCloud, type Principal, type WireContext, type WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

/** Lets a call to Open Cloud pass with the API key or with an access token; the gateway refuses all others. */
export function checkCloudCredentials(apiKey: ApiKey, tokens: OAuthTokens): Middleware<WireState> {
  return (ctx, next) => {
    if (isOpenCloud(ctx.state) || isOlderInCloud(ctx.state)) ctx.state.principal = principalOf(ctx, apiKey, tokens);
    return next();
  };
}

function principalOf(ctx: Pick<WireContext, 'get'>, apiKey: ApiKey, tokens: OAuthTokens): Principal {
  const bearer = bearerToken(ctx);
  if (bearer === undefined) {
    if (!apiKey.admits(ctx.get('x-api-key'))) throw legacyError(401, 0, 'Invalid API Key');
    return { kind: 'apiKeyOwner', id: apiKey.secret };
  }
  const grant = tokens.findAccess(bearer);
  if (!grant) throw legacyError(401, 0, 'Invalid access token');
  return { kind: 'oauthAuthorization', id: grant.authorization.id };
}

/** An `Authorization: Bearer` header's token. */
export function bearerToken(ctx: Pick<WireContext, 'get'>): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(ctx.get('authorization'))?.[1];
}
