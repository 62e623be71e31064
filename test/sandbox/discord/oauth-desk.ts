import { z } from 'zod';
import { type Authorization, authorizationOf, challengeOf, OAuthGrants } from '../kit/oauth-grants.js';
import type { DiscordState } from './discord-state.js';
import { addBot } from './guild-changes.js';

/** Lifetimes in seconds: an access token's is a week (Discord's documentation); a code is for immediate use. */
const lifetimes = { code: 60, access: 604_800, refresh: Number.POSITIVE_INFINITY } as const;

const knownScopes = [
  'identify',
  'email',
  'connections',
  'guilds',
  'guilds.members.read',
  'guilds.join',
  'bot',
  'applications.commands',
  'role_connections.write',
];

/** The person that an access token speaks for. */
export interface Bearer {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const requestSchema = z
  .object({
    client_id: z.string(),
    scope: z
      .string()
      .transform((scope) => scope.split(/\s+/).filter(Boolean))
      .refine((scopes) => scopes.length > 0 && scopes.every((scope) => knownScopes.includes(scope)), 'unknown scope'),
    response_type: z.literal('code').optional(),
    redirect_uri: z.url({ protocol: /^https?$/ }).optional(),
    state: z.string().optional(),
    prompt: z.enum(['consent', 'none']).optional(),
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/, 'must be a SHA-256 in base64url')
      .optional(),
    code_challenge_method: z.literal('S256').optional(),
    guild_id: z.string().regex(/^\d*$/).optional(),
  })
  .refine(({ code_challenge, code_challenge_method }) => !code_challenge === !code_challenge_method, {
    message: 'code_challenge and code_challenge_method belong together',
  })
  .refine(({ scope, response_type, redirect_uri }) => scope.includes('bot') || (response_type && redirect_uri), {
    message: 'response_type and redirect_uri are required',
  });

export type AuthorizeRequest = z.infer<typeof requestSchema>;

/** OAuth 2.0 as Discord does it: consents, codes, tokens. */
export class OAuthDesk {
  readonly #grants = new OAuthGrants(lifetimes);
  readonly #consents = new Map<string, Set<string>>();

  constructor(readonly state: DiscordState) {}

  /** Registers a redirect URI; as long as there is none, any is taken. */
  registerRedirectUri(uri: string): void {
    this.state.application.redirectUris.push(uri);
  }

  /** Checks an authorize URL's query; throws an error that lists what is wrong with it. */
  parseRequest(query: URLSearchParams): AuthorizeRequest {
    const request = requestSchema.safeParse(Object.fromEntries(query));
    if (!request.success) throw new Error(z.prettifyError(request.error));
    const { client_id: clientId, redirect_uri: redirectUri } = request.data;
    if (clientId !== this.state.application.id) throw new Error('Unknown client_id.');
    const { redirectUris } = this.state.application;
    if (redirectUri && redirectUris.length > 0 && !redirectUris.includes(redirectUri)) {
      throw new Error('The redirect_uri is not registered.');
    }
    return request.data;
  }

  /** Whether the person has already agreed to it all, so that `prompt=none` need not ask again. */
  hasConsent(request: AuthorizeRequest, userId: string): boolean {
    const given = this.#consents.get(userId);
    return request.scope.every((scope) => given?.has(scope));
  }

  /** The person agrees or not: the URL to send them back to, or undefined for an install link without one. */
  decide(request: AuthorizeRequest, userId: string, approve: boolean): string | undefined {
    if (approve) this.#consent(request, this.state.user(userId).id);
    if (!request.redirect_uri) return undefined;
    const back = new URL(request.redirect_uri);
    if (approve) {
      const extra = { codeChallenge: request.code_challenge, redirectUri: request.redirect_uri };
      const code = this.#grants.issue('code', authorizationOf(userId, request.scope.join(' ')), extra);
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'The resource owner or authorization server denied the request');
    }
    if (request.state !== undefined) back.searchParams.set('state', request.state);
    return back.href;
  }

  /** Exchanges a code, once and within a minute; undefined when it, its redirect URI or its verifier does not fit. */
  exchange(code: string, redirectUri: string, verifier: string | undefined) {
    const stored = this.#grants.find(code);
    // A verifier without a challenge is refused too.
    if (stored?.redirectUri !== redirectUri || stored.codeChallenge !== challengeOf(verifier)) return undefined;
    const grant = this.#grants.redeem('code', code);
    return grant && this.#issueTokens(grant.authorization);
  }

  /** New tokens for a refresh token, which is used up by it and takes its access token with it. */
  refresh(refreshToken: string) {
    const known = this.#grants.redeem('refresh', refreshToken)?.authorization;
    if (!known) return undefined;
    known.revoked = true;
    return this.#issueTokens(authorizationOf(known.userId, known.scope));
  }

  /** Ends the authorization that the token, of either kind, belongs to. */
  revoke(token: string): void {
    this.#grants.revoke(token);
  }

  /**
   * The person takes back all that they agreed to, as in Discord's settings; what was written about them goes with it.
   */
  withdraw(userId: string): void {
    this.#grants.revokeAllOf(userId);
    this.#consents.delete(userId);
    this.state.roleConnections.delete(userId);
  }

  /** Whose access token it is; undefined when it is unknown, revoked or expired. */
  findByAccessToken(token: string): Bearer | undefined {
    const grant = this.#grants.findAccess(token);
    if (!grant) return undefined;
    const { userId, scope } = grant.authorization;
    return { userId, scopes: scope.split(' '), expiresAt: grant.expiresAt * 1000 };
  }

  #consent(request: AuthorizeRequest, userId: string): void {
    this.#consents.set(userId, new Set([...(this.#consents.get(userId) ?? []), ...request.scope]));
    const guild = this.state.guilds.get(request.guild_id ?? '');
    if (request.scope.includes('bot') && guild && !this.state.hasBot(guild)) addBot(this.state, guild);
  }

  /** The token endpoint's answer (RFC 6749 §5.1). */
  #issueTokens(authorization: Authorization) {
    return {
      token_type: 'Bearer',
      access_token: this.#grants.issue('access', authorization),
      expires_in: lifetimes.access,
      refresh_token: this.#grants.issue('refresh', authorization),
      scope: authorization.scope,
    };
  }
}
