import { z } from 'zod';
import { authorizationOf } from '../kit/oauth-grants.js';
import type { OAuthTokens } from './oauth-tokens.js';

/** The one application that is registered with the sandbox's Roblox. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Exact URIs; undefined lets any http(s) URI pass. */
  readonly redirectUris: readonly string[] | undefined;
}

/** Scopes that a third party can be granted and that matter to Open Cloud reads (Roblox OAuth reference). */
export const knownScopes = ['openid', 'profile', 'group:read', 'user.advanced:read', 'user.social:read'];

const requestShape = z.object({
  client_id: z.string(),
  redirect_uri: z.url({ protocol: /^https?$/ }).max(256),
  scope: z.string().default(''),
  response_type: z.string().default(''),
  state: z.string().optional(),
  nonce: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
});

/** The arguments with which an application sends a person to Roblox's authorization page. */
export type AuthorizationRequest = z.infer<typeof requestShape>;

/** Nothing can be sent back to an application that is not known, or to an address that is not its own. */
export class UntrustedRequest extends Error {}

/** Reads the authorization page's arguments. Throws `UntrustedRequest` when a redirect is not safe. */
export function readAuthorizationRequest(query: URLSearchParams, app: OAuthApp): AuthorizationRequest {
  const parsed = requestShape.safeParse(Object.fromEntries(query));
  if (!parsed.success) throw new UntrustedRequest(`The request is not complete: ${z.prettifyError(parsed.error)}`);
  const request = parsed.data;
  if (request.client_id !== app.clientId) throw new UntrustedRequest('No application has this client_id.');
  if (app.redirectUris && !app.redirectUris.includes(request.redirect_uri)) {
    throw new UntrustedRequest('The redirect_uri is not registered for this application.');
  }
  return request;
}

/** The error that goes back to the application before anybody is asked, or undefined when the request is sound. */
export function refusalOf(request: AuthorizationRequest): { error: string; error_description: string } | undefined {
  const scopes = request.scope.split(' ');
  if (!['code', 'none'].includes(request.response_type)) {
    return { error: 'unsupported_response_type', error_description: 'response_type must be code or none.' };
  }
  if (!scopes.every((scope) => knownScopes.includes(scope))) {
    return { error: 'invalid_scope', error_description: 'The scope names something unknown.' };
  }
  if (scopes.includes('profile') && !scopes.includes('openid')) {
    return { error: 'invalid_scope', error_description: 'profile needs openid.' };
  }
  const { code_challenge: challenge, code_challenge_method: method } = request;
  const validChallenge = challenge !== undefined && /^[\w-]{43}$/.test(challenge) && method === 'S256';
  if ((challenge ?? method) !== undefined && !validChallenge) {
    return { error: 'invalid_request', error_description: 'The code challenge must be SHA-256 by S256 (RFC 7636).' };
  }
  return undefined;
}

/** The redirect after the person's decision: with a fresh code, or with `access_denied`. */
export function decide(request: AuthorizationRequest, userId: string, approve: boolean, tokens: OAuthTokens): string {
  if (!approve) return redirectWith(request, { error: 'access_denied', error_description: 'The person said no.' });
  if (request.response_type === 'none') return redirectWith(request, {});
  const extra = { codeChallenge: request.code_challenge, redirectUri: request.redirect_uri };
  const code = tokens.issue('code', authorizationOf(userId, request.scope, request.nonce), extra);
  return redirectWith(request, { code });
}

/** The application's redirect URI with these answers and its own `state`. */
export function redirectWith(request: AuthorizationRequest, answer: Readonly<Record<string, string>>): string {
  const url = new URL(request.redirect_uri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (request.state !== undefined) url.searchParams.set('state', request.state);
  return url.href;
}
