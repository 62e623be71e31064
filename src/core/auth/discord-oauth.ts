import type * as oauth from 'openid-client';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import { applicationId } from '../../platforms/discord/own-application.js';
import { tooSlow } from '../../platforms/discord/rest/patience.js';

export const openid = onFirstUse(() => import('openid-client'));

/** The operator has not set DISCORD_CLIENT_SECRET: the bot works, the web sign-in does not. */
export class SignInNotConfigured extends AppError {
  constructor() {
    super(
      'sign_in_not_configured',
      'Signing in is not set up here. Whoever runs the bot has to set DISCORD_CLIENT_SECRET.',
    );
  }
}

/** Tokens for acting in a person's name on Discord, valid until they expire or the person withdraws consent. */
export interface PersonTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt: Date;
}

/** The person's consent on Discord was withdrawn or has expired: their tokens are invalid. */
export class ConsentEnded extends Error {}

/** The tokens in Discord's answer. Without an expiry they last one week, as documented. */
export function tokensFrom(answer: oauth.TokenEndpointResponse): PersonTokens {
  const { access_token: accessToken, refresh_token: refreshToken = '', expires_in: seconds = 604_800 } = answer;
  return { accessToken, refreshToken, expiresAt: new Date(clock.epochMs() + seconds * 1000) };
}

/** Whether Discord's OAuth refused the request, as opposed to failing. */
export async function isRefusal(error: unknown): Promise<boolean> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await openid();
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return true;
  return error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE';
}

/** The refusal after a failed request to Discord's OAuth, with the time if Discord asks for one. */
export function oauthFailure(cause: unknown): ChatPlatformUnavailable {
  // openid-client hands on an answer that is not OAuth's.
  const answer = cause instanceof Error && cause.cause instanceof Response ? cause.cause : undefined;
  const waitMs = answer?.status === 429 ? retryAfterMs(answer.headers.get('retry-after')) : undefined;
  return waitMs === undefined ? new ChatPlatformUnavailable(undefined, { cause }) : tooSlow(waitMs);
}

/**
 * Exchanges a refresh token, which can be used once, for new tokens. Throws ConsentEnded, and ChatPlatformUnavailable.
 */
export async function renewTokens(refreshToken: string): Promise<PersonTokens> {
  const [{ refreshTokenGrant, ResponseBodyError }, server] = await Promise.all([openid(), discordOAuth()]);
  try {
    return tokensFrom(await refreshTokenGrant(server, refreshToken));
  } catch (cause) {
    if (cause instanceof ResponseBodyError && cause.error === 'invalid_grant') {
      throw new ConsentEnded('Discord takes the refresh token no more.', { cause });
    }
    throw oauthFailure(cause);
  }
}

/**
 * Discord's OAuth configuration. Discord publishes no discovery document, so the endpoints come from its documentation.
 * Throws SignInNotConfigured without DISCORD_CLIENT_SECRET, and ChatPlatformUnavailable.
 */
export async function discordOAuth(): Promise<oauth.Configuration> {
  const { apiUrl, clientSecret } = config().discord;
  if (clientSecret === undefined) throw new SignInNotConfigured();
  const oauth = await openid();
  const client = new oauth.Configuration(
    {
      issuer: new URL(apiUrl).origin,
      authorization_endpoint: new URL('/oauth2/authorize', apiUrl).href,
      token_endpoint: `${apiUrl}/v10/oauth2/token`,
    },
    await applicationId(),
    {},
    oauth.ClientSecretBasic(clientSecret),
  );
  client.timeout = 10;
  if (apiUrl.startsWith('http:')) oauth.allowInsecureRequests(client);
  return client;
}
