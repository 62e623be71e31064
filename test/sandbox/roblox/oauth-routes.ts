import Router from '@koa/router';
import { bearerToken } from './cloud-credentials.js';
import { consentPath } from './consent-page.js';
import { headshotUrl } from './headshot-image.js';
import { knownScopes, type OAuthApp } from './oauth-consent.js';
import { tokenRoutes } from './oauth-token-routes.js';
import { type OAuthTokens, profileClaims } from './oauth-tokens.js';
import type { RobloxState } from './roblox-state.js';
import type { WireState } from './wire-context.js';
import { oauthError } from './wire-errors.js';

/** OAuth 2.0 and OpenID Connect on apis.roblox.com: authorization, tokens, user information, discovery, keys. */
export function oauthRoutes(state: RobloxState, app: OAuthApp, tokens: OAuthTokens, origin: string): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/apis/oauth' });

  router.get('/v1/authorize', (ctx) => {
    ctx.redirect(`${origin}${consentPath}${ctx.search}`);
    ctx.body = '';
  });

  router.get('/v1/userinfo', (ctx) => {
    const grant = tokens.findAccess(bearerToken(ctx) ?? '');
    if (!grant) {
      throw oauthError(401, 'invalid_token', 'The access token is missing, expired or revoked.', {
        'www-authenticate': 'Bearer error="invalid_token"',
      });
    }
    const { userId, scope } = grant.authorization;
    ctx.body = profileClaims(state.users.get(userId), scope, headshotUrl(origin, userId));
  });

  router.get('/v1/certs', (ctx) => {
    ctx.body = { keys: [tokens.publicJwk] };
  });

  router.get('/.well-known/openid-configuration', (ctx) => {
    ctx.body = discoveryDocument(`${origin}/apis/oauth/`);
  });

  tokenRoutes(router, state, app, tokens, origin);
  return router;
}

function discoveryDocument(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}v1/authorize`,
    token_endpoint: `${issuer}v1/token`,
    introspection_endpoint: `${issuer}v1/token/introspect`,
    revocation_endpoint: `${issuer}v1/token/revoke`,
    resources_endpoint: `${issuer}v1/token/resources`,
    userinfo_endpoint: `${issuer}v1/userinfo`,
    jwks_uri: `${issuer}v1/certs`,
    registration_endpoint: 'https://create.roblox.com/dashboard/credentials',
    service_documentation: 'https://create.roblox.com/docs/reference/cloud',
    scopes_supported: knownScopes,
    response_types_supported: ['none', 'code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sub', 'name', 'nickname', 'preferred_username', 'created_at', 'profile', 'picture'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  };
}
