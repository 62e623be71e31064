import { z } from 'zod';
import { config } from '../../config/config.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';
import { SealBroken, type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { beginGameOAuth, finishGameOAuth } from '../../platforms/roblox/game-oauth.js';
import { ProofRejected } from './proof-rejected.js';
import type { StoredOAuth } from './verification-model.js';

/** The parameters in Roblox's redirect (RFC 6749 §4.1.2): a code, or an error. */
export type OAuthAnswer = { state: string } & ({ code: string } | { error: string });

const url = z.object({ authorizeUrl: z.url() });
const secrets = z.object({ token: z.string(), codeVerifier: z.string(), nonce: z.string() });

/** Sealed under a secret that we store only as a hash: only its holder can read this again. */
const readableWith = (secret: string): SealFor => ({ purpose: 'verification', salt: secret });

/** Roblox's OAuth redirect; it must be registered with the OAuth app. */
const redirectUri = (): string => `${config().publicUrl}/verify/callback`;

/** Starts a sign-in on Roblox for `token`'s session. Throws GamePlatformUnavailable. */
export async function beginOAuth(token: string): Promise<StoredOAuth> {
  const { authorizeUrl, state, codeVerifier, nonce } = await beginGameOAuth(redirectUri());
  return {
    stateHash: hashSecret(state),
    sealedUrl: await seal({ authorizeUrl }, readableWith(token)),
    sealedSecrets: await seal({ token, codeVerifier, nonce }, readableWith(state)),
  };
}

/** The sign-in address, for the person that holds the session's token; null if no key opens it. */
export async function readAuthorizeUrl({ sealedUrl }: StoredOAuth, token: string): Promise<string | null> {
  return (await unseal(url, sealedUrl, readableWith(token)).catch(ifBroken))?.authorizeUrl ?? null;
}

/** The token for the session that a browser with this `state` comes back to; null: no key opens it. */
export async function readSessionToken({ sealedSecrets }: StoredOAuth, state: string): Promise<string | null> {
  return (await unseal(secrets, sealedSecrets, readableWith(state)).catch(ifBroken))?.token ?? null;
}

function ifBroken(error: unknown): null {
  if (error instanceof SealBroken) return null;
  throw error;
}

/**
 * Redeems Roblox's code for the consenting account; call `requireState` first. Throws ProofRejected, GameOAuthInvalid
 * and GamePlatformUnavailable. A code works once, so it is never redeemed again.
 */
export async function redeemOAuth(
  oauth: StoredOAuth,
  answer: OAuthAnswer,
): Promise<{ gameUserId: string; gameUsername: string; gameDisplayName: string }> {
  if ('error' in answer) throw errorOf(answer.error);
  const opened = await unseal(secrets, oauth.sealedSecrets, readableWith(answer.state)).catch(ifBroken);
  if (opened === null) throw new ProofRejected('oauth_invalid');
  const { codeVerifier, nonce } = opened;
  return finishGameOAuth({ redirectUri: redirectUri(), code: answer.code, state: answer.state, codeVerifier, nonce });
}

/** The sign-in that the session started last, if `state` belongs to it. Throws ProofRejected otherwise. */
export function requireState(oauth: StoredOAuth | null, state: string): StoredOAuth {
  if (oauth === null || hashSecret(state) !== oauth.stateHash) throw new ProofRejected('oauth_invalid');
  return oauth;
}

/** RFC 6749 §4.1.2.1 */
function errorOf(error: string): ProofRejected | GamePlatformUnavailable {
  if (['server_error', 'temporarily_unavailable'].includes(error)) return new GamePlatformUnavailable();
  return new ProofRejected(error === 'access_denied' ? 'oauth_denied' : 'oauth_invalid');
}
