import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { clock } from '../../../src/lib/clock.js';
import type { DiscordState } from './discord-state.js';
import { addBot } from './guild-changes.js';

/**
 * Discord's numbers: an access token lives for a week (Discord's documentation); a code is meant to be used at once.
 */
const tokenLifeSeconds = 604_800;
const codeLifeMs = 60_000;

const knownScopes = [
  'identify',
  'email',
  'guilds',
  'guilds.members.read',
  'guilds.join',
  'bot',
  'applications.commands',
];

/** One person's consent, with the tokens that came of it. */
export interface StoredAuthorization {
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken: string;
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

/** A valid request for somebody's consent. */
export type AuthorizeRequest = z.infer<typeof requestSchema>;

interface StoredCode {
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | undefined;
  readonly expiresAt: number;
  /** What it was exchanged for; a second use takes that back (RFC 6749 §4.1.2). */
  grant?: StoredAuthorization;
}

/** OAuth 2.0 as Discord does it: consents, codes, tokens. */
export class OAuthDesk {
  readonly #codes = new Map<string, StoredCode>();
  readonly #byAccessToken = new Map<string, StoredAuthorization>();
  readonly #byRefreshToken = new Map<string, StoredAuthorization>();
  readonly #consents = new Map<string, Set<string>>();
  readonly #redirectUris = new Set<string>();

  constructor(readonly state: DiscordState) {}

  /** Registers a redirect URI; as long as there is none, any is taken. */
  registerRedirectUri(uri: string): void {
    this.#redirectUris.add(uri);
  }

  /** Checks the query of an authorize URL; throws an error that lists what is wrong with it. */
  parseRequest(query: URLSearchParams): AuthorizeRequest {
    const request = requestSchema.safeParse(Object.fromEntries(query));
    if (!request.success) throw new Error(z.prettifyError(request.error));
    const { client_id: clientId, redirect_uri: redirectUri } = request.data;
    if (clientId !== this.state.application.id) throw new Error('Unknown client_id.');
    if (redirectUri && this.#redirectUris.size > 0 && !this.#redirectUris.has(redirectUri)) {
      throw new Error('The redirect_uri is not registered.');
    }
    return request.data;
  }

  /** Whether the person has already agreed to all of it, so that `prompt=none` need not ask again. */
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
      back.searchParams.set('code', this.#issueCode(request, request.redirect_uri, userId));
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'The resource owner or authorization server denied the request');
    }
    if (request.state !== undefined) back.searchParams.set('state', request.state);
    return back.href;
  }

  /** Exchanges a code, once and within a minute; undefined when it, its redirect URI or its verifier does not fit. */
  exchange(code: string, redirectUri: string, verifier: string | undefined): StoredAuthorization | undefined {
    const stored = this.#codes.get(code);
    if (!stored) return undefined;
    if (stored.grant) {
      this.revoke(stored.grant.accessToken);
      return undefined;
    }
    const fits =
      stored.expiresAt > clock.epochMs() && stored.redirectUri === redirectUri && verifies(stored.challenge, verifier);
    if (!fits) return undefined;
    stored.grant = this.#issueTokens(stored.userId, stored.scopes);
    return stored.grant;
  }

  /** New tokens for a refresh token, which is used up by it. */
  refresh(refreshToken: string): StoredAuthorization | undefined {
    const known = this.#byRefreshToken.get(refreshToken);
    if (!known) return undefined;
    this.revoke(refreshToken);
    return this.#issueTokens(known.userId, known.scopes);
  }

  /** Ends the authorization that the token, of either kind, belongs to. */
  revoke(token: string): void {
    const known = this.#byAccessToken.get(token) ?? this.#byRefreshToken.get(token);
    if (!known) return;
    this.#byAccessToken.delete(known.accessToken);
    this.#byRefreshToken.delete(known.refreshToken);
  }

  /** Whose access token it is; undefined when it is unknown, revoked or expired. */
  findByAccessToken(token: string): StoredAuthorization | undefined {
    const known = this.#byAccessToken.get(token);
    return known && known.expiresAt > clock.epochMs() ? known : undefined;
  }

  #consent(request: AuthorizeRequest, userId: string): void {
    this.#consents.set(userId, new Set([...(this.#consents.get(userId) ?? []), ...request.scope]));
    const guild = this.state.guilds.get(request.guild_id ?? '');
    if (request.scope.includes('bot') && guild && !this.state.hasBot(guild)) addBot(this.state, guild);
  }

  #issueCode(request: AuthorizeRequest, redirectUri: string, userId: string): string {
    const code = randomBytes(15).toString('base64url');
    const expiresAt = clock.epochMs() + codeLifeMs;
    this.#codes.set(code, { userId, scopes: request.scope, redirectUri, challenge: request.code_challenge, expiresAt });
    return code;
  }

  #issueTokens(userId: string, scopes: readonly string[]): StoredAuthorization {
    const grant: StoredAuthorization = {
      userId,
      scopes,
      accessToken: randomBytes(22).toString('base64url'),
      refreshToken: randomBytes(22).toString('base64url'),
      expiresAt: clock.epochMs() + tokenLifeSeconds * 1000,
    };
    this.#byAccessToken.set(grant.accessToken, grant);
    this.#byRefreshToken.set(grant.refreshToken, grant);
    return grant;
  }
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export function tokenJson(grant: StoredAuthorization) {
  return {
    token_type: 'Bearer',
    access_token: grant.accessToken,
    expires_in: tokenLifeSeconds,
    refresh_token: grant.refreshToken,
    scope: grant.scopes.join(' '),
  };
}

/** PKCE with S256 (RFC 7636 §4.6); a verifier without a challenge is refused too. */
function verifies(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
