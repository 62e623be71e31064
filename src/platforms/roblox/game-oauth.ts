import type * as OAuth from 'openid-client';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { AppError, GamePlatformUnavailable } from '../../lib/errors.js';
import { gameId } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import { hourMs } from '../../lib/time.js';
import { type ConfigInForce, perConfiguration, robloxConfig } from './roblox-config.js';

const openid = onFirstUse(() => import('openid-client'));

/** The consent is invalid: the code, its verifier or the id token does not match our request. */
export class GameOAuthInvalid extends AppError {
  constructor(options?: ErrorOptions) {
    super('oauth_invalid', 'Roblox did not confirm this sign-in. Please start again.', {}, options);
  }
}

const SCOPES = 'openid profile';

const userInfo = z.object({ sub: gameId, preferred_username: z.string().min(1), nickname: z.string() });

const discoveryHoldsMs = hourMs;

class Provider {
  #known: { configuration: OAuth.Configuration; at: number } | undefined;
  #reading: Promise<OAuth.Configuration> | undefined;

  constructor(readonly config: ConfigInForce) {}

  /**
   * Reads the document on first use and once an hour; the last one stays valid while it can't be read. Throws
   * GamePlatformUnavailable.
   */
  async get(): Promise<OAuth.Configuration> {
    if (this.#known && clock.monotonicMs() - this.#known.at < discoveryHoldsMs) return this.#known.configuration;
    try {
      const configuration = await this.#read();
      this.#known = { configuration, at: clock.monotonicMs() };
      return configuration;
    } catch (error) {
      const failed = unavailable(error);
      if (this.#known === undefined) throw failed;
      return this.#known.configuration;
    }
  }

  /** Marks the document as outdated after a failure: it is read again before the next use. */
  doubt(): void {
    if (this.#known !== undefined) this.#known = { ...this.#known, at: Number.NEGATIVE_INFINITY };
  }

  #read(): Promise<OAuth.Configuration> {
    this.#reading ??= discover(this.config).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }
}

const provider = perConfiguration((config) => new Provider(config));

/** Whether people can verify through Roblox OAuth, that is, whether an OAuth app is configured. */
export function gameOAuthEnabled(): boolean {
  return robloxConfig().oauth !== undefined;
}

/**
 * Starts an authorization code flow with PKCE (S256). Send the person to `authorizeUrl`, and keep the other three
 * values secret for `finishGameOAuth`. Throws GamePlatformUnavailable.
 */
export async function beginGameOAuth(
  redirectUri: string,
): Promise<{ authorizeUrl: string; state: string; codeVerifier: string; nonce: string }> {
  const [oauth, configuration] = await Promise.all([openid(), provider().get()]);
  const codeVerifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const nonce = oauth.randomNonce();
  const url = oauth.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: SCOPES,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
  return { authorizeUrl: url.href, state, codeVerifier, nonce };
}

/**
 * Redeems the code returned to `redirectUri` and returns the consenting account. The caller has already compared
 * `state` with the one from `beginGameOAuth`. Checks the id token's issuer, audience, lifetime, nonce and ES256
 * signature. Throws GameOAuthInvalid for a bad code, verifier or id token, and GamePlatformUnavailable if Roblox
 * doesn't answer. A code works once (and for a minute), so this is never retried.
 */
export async function finishGameOAuth(input: {
  redirectUri: string;
  code: string;
  state: string;
  codeVerifier: string;
  nonce: string;
}): Promise<{ gameUserId: string; gameUsername: string; gameDisplayName: string }> {
  const [oauth, configuration] = await Promise.all([openid(), provider().get()]);
  const returned = new URL(input.redirectUri);
  returned.search = new URLSearchParams({ code: input.code, state: input.state }).toString();
  const tokens = await checked(
    oauth.authorizationCodeGrant(configuration, returned, {
      expectedState: input.state,
      expectedNonce: input.nonce,
      pkceCodeVerifier: input.codeVerifier,
      idTokenExpected: true,
    }),
  );
  const subject = tokens.claims()?.sub ?? '';
  const person = await checked(oauth.fetchUserInfo(configuration, tokens.access_token, subject).then(userInfo.parse));
  return { gameUserId: person.sub, gameUsername: person.preferred_username, gameDisplayName: person.nickname };
}

async function discover(config: ConfigInForce): Promise<OAuth.Configuration> {
  if (!config.oauth) throw new Error('Roblox OAuth is not configured; ask gameOAuthEnabled() first');
  const { clientId, clientSecret } = config.oauth;
  const oauth = await openid();
  // The issuer ends in a slash, and openid-client compares it with the one in the discovery document.
  const issuer = new URL(`${config.apisUrl}/oauth/`);
  return oauth.discovery(
    issuer,
    clientId,
    { id_token_signed_response_alg: 'ES256' },
    authenticate(oauth.ClientSecretPost(clientSecret)),
    {
      timeout: config.timeoutMs / 1000,
      execute: [
        // Without it, an id token's signature from the token endpoint is not checked.
        oauth.enableNonRepudiationChecks,
        ...(issuer.protocol === 'http:' ? [oauth.allowInsecureRequests] : []),
      ],
    },
  );
}

/** Removes `redirect_uri`: Roblox documents none for its token endpoint, though RFC 6749 §4.1.3 has one. */
function authenticate(post: OAuth.ClientAuth): OAuth.ClientAuth {
  return (server, client, body, headers) => {
    body.delete('redirect_uri');
    post(server, client, body, headers);
  };
}

/** The messages by which openid-client reports invalid contents in an id token or the user information. */
const CONTENT_FAULTS = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
];
/**
 * The token endpoint's answers to a bad code or verifier (RFC 6749 §5.2). Its other errors concern our configuration.
 */
const GRANT_FAULTS = ['invalid_grant', 'invalid_request'];

async function checked<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (await isInvalid(error)) throw new GameOAuthInvalid({ cause: error });
    provider().doubt();
    throw unavailable(error);
  }
}

async function isInvalid(error: unknown): Promise<boolean> {
  const { ClientError, ResponseBodyError } = await openid();
  if (error instanceof ResponseBodyError) return GRANT_FAULTS.includes(error.error);
  return error instanceof ClientError && CONTENT_FAULTS.includes(error.code ?? '');
}

function unavailable(error: unknown): GamePlatformUnavailable {
  // Only the reason: openid-client's errors may contain whole answers, including tokens.
  logger.warn({ reason: error instanceof Error ? error.message : undefined }, 'Roblox OAuth failed');
  return new GamePlatformUnavailable(undefined, { cause: error });
}
