import type Router from '@koa/router';
import { z } from 'zod';
import { clientCredentials } from '../kit/oauth-client.js';
import { type Authorization, challengeOf, type Grant, isAlive } from '../kit/oauth-grants.js';
import { headshotUrl } from './headshot-image.js';
import type { OAuthApp } from './oauth-consent.js';
import { lifetimes, type OAuthTokens, profileClaims } from './oauth-tokens.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext, WireState } from './wire-context.js';
import { oauthError } from './wire-errors.js';

const verifier = z.string().regex(/^[\w.~-]{43,128}$/);
const grantForm = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    code_verifier: verifier.optional(),
    redirect_uri: z.string().optional(),
  }),
  z.object({ grant_type: z.literal('refresh_token'), refresh_token: z.string() }),
]);
const tokenForm = z.object({ token: z.string().min(1) });

/** What applications do with codes and tokens. Each call proves the client by HTTP Basic or in the form. */
export function tokenRoutes(
  router: Router<WireState>,
  state: RobloxState,
  app: OAuthApp,
  tokens: OAuthTokens,
  origin: string,
): void {
  const issuer = `${origin}/apis/oauth/`;

  router.post('/v1/token', async (ctx) => {
    const { authorization } = redeem(ctx, app, tokens);
    const { scope, userId } = authorization;
    const claims = profileClaims(state.users.get(userId), scope, headshotUrl(origin, userId));
    ctx.set('cache-control', 'no-store');
    ctx.body = await issueTokens(authorization, tokens, { issuer, clientId: app.clientId }, claims);
  });

  router.post('/v1/token/introspect', async (ctx) => {
    const claims = await claimsOf(readToken(ctx, app), tokens, { issuer, clientId: app.clientId });
    ctx.body = claims ? { active: true, ...claims } : { active: false };
  });

  router.post('/v1/token/resources', (ctx) => {
    const grant = tokens.findAccess(readToken(ctx, app));
    if (!grant) throw oauthError(400, 'invalid_grant', 'The access token is unknown, expired or revoked.');
    const owner = { id: grant.authorization.userId, type: 'User' };
    ctx.body = { resource_infos: [{ owner, resources: { creator: { ids: ['U'] } } }] };
  });

  router.post('/v1/token/revoke', (ctx) => {
    tokens.revoke(readToken(ctx, app));
    ctx.status = 200;
    ctx.body = '';
  });
}

/** A new token pair, and with the scope `openid` an id token that says `claims`. */
async function issueTokens(
  authorization: Authorization,
  tokens: OAuthTokens,
  parties: { issuer: string; clientId: string },
  claims: object,
) {
  const { scope } = authorization;
  const isOpenId = scope.split(' ').includes('openid');
  return {
    access_token: tokens.issue('access', authorization),
    refresh_token: tokens.issue('refresh', authorization),
    token_type: 'Bearer',
    expires_in: lifetimes.access,
    scope,
    ...(isOpenId ? { id_token: await tokens.signIdToken(authorization, parties, { ...claims }) } : {}),
  };
}

function redeem(ctx: WireContext, app: OAuthApp, tokens: OAuthTokens): Grant {
  requireClient(ctx, app);
  const form = readGrantForm(ctx.request.body);
  const isCode = form.grant_type === 'authorization_code';
  const secret = isCode ? form.code : form.refresh_token;
  const grant = tokens.redeem(isCode ? 'code' : 'refresh', secret);
  if (!grant) throw oauthError(400, 'invalid_grant', 'The grant is unknown, used, expired or withdrawn.');
  if (isCode) {
    if (challengeOf(form.code_verifier) !== grant.codeChallenge) {
      throw oauthError(400, 'invalid_grant', 'The code verifier is wrong.');
    }
    if (form.redirect_uri !== undefined && form.redirect_uri !== grant.redirectUri) {
      throw oauthError(400, 'invalid_grant', 'The redirect_uri is not that of the authorization request.');
    }
  }
  return grant;
}

function readGrantForm(body: unknown): z.infer<typeof grantForm> {
  const form = grantForm.safeParse(body);
  if (form.success) return form.data;
  const unknownGrant = form.error.issues.some(({ code }) => code === 'invalid_union');
  throw oauthError(400, unknownGrant ? 'unsupported_grant_type' : 'invalid_request', z.prettifyError(form.error));
}

function readToken(ctx: WireContext, app: OAuthApp): string {
  requireClient(ctx, app);
  const form = tokenForm.safeParse(ctx.request.body);
  if (!form.success) throw oauthError(400, 'invalid_request', 'The token is missing.');
  return form.data.token;
}

/** Introspection checks the lifetime alone: a withdrawn access token stays active until it expires (Roblox). */
async function claimsOf(
  token: string,
  tokens: OAuthTokens,
  { issuer, clientId }: { issuer: string; clientId: string },
): Promise<object | undefined> {
  const grant = tokens.find(token);
  if (!grant) return tokens.readIdToken(token);
  if (grant.kind === 'code' || grant.used || !isAlive(grant)) return undefined;
  const { userId, scope } = grant.authorization;
  return {
    jti: grant.jti,
    iss: issuer,
    token_type: 'Bearer',
    client_id: clientId,
    aud: clientId,
    sub: userId,
    scope,
    exp: grant.expiresAt,
    iat: grant.issuedAt,
  };
}

/** Lets the registered application pass. */
function requireClient(ctx: WireContext, app: OAuthApp): void {
  const [clientId, secret] = clientCredentials(ctx.get('authorization'), ctx.request.body);
  if (clientId === app.clientId && secret === app.clientSecret) return;
  throw oauthError(401, 'invalid_client', 'The client could not be authenticated.', {
    'www-authenticate': 'Basic realm="Roblox"',
  });
}
