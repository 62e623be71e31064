import { randomBytes } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { clock } from '../../../src/lib/clock.js';
import { type Authorization, nowInSeconds, OAuthGrants } from '../kit/oauth-grants.js';
import type { SandboxGameUser } from './user-directory.js';

/**
 * Lifetimes in seconds (Roblox cloud/auth/oauth2-reference); the access token's is returned as 899, as in the examples.
 */
export const lifetimes = { code: 60, access: 899, refresh: 90 * 24 * 60 * 60, id: 36_000 } as const;

/** Roblox's grants and id tokens. */
export class OAuthTokens extends OAuthGrants {
  readonly #privateKey: CryptoKey;
  readonly #publicKey: CryptoKey;

  private constructor(
    privateKey: CryptoKey,
    publicKey: CryptoKey,
    readonly publicJwk: JWK,
  ) {
    super(lifetimes);
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** Makes a new ES256 key pair to sign id tokens with. */
  static async create(): Promise<OAuthTokens> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    return new OAuthTokens(privateKey, publicKey, { ...jwk, kid, alg: 'ES256', use: 'sig' });
  }

  /** An id token (ES256): the subject, and with the scope `profile` the person's profile claims. */
  async signIdToken(
    { nonce, userId }: Authorization,
    { issuer, clientId }: { issuer: string; clientId: string },
    claims: Record<string, unknown>,
  ): Promise<string> {
    const issuedAt = nowInSeconds();
    return new SignJWT({ ...claims, ...(nonce === undefined ? {} : { nonce }) })
      .setProtectedHeader({ alg: 'ES256', kid: this.publicJwk.kid ?? '', typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setSubject(userId)
      .setJti(`ID.${randomBytes(12).toString('base64url')}`)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimes.id)
      .sign(this.#privateKey);
  }

  /** The claims that introspection returns for an id token; undefined when it is not ours or has expired. */
  async readIdToken(token: string): Promise<object | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, { algorithms: ['ES256'], currentDate: clock.now() });
      const { jti, iss, aud, sub, exp, iat } = payload;
      return { jti, iss, token_type: 'Bearer', client_id: aud, aud, sub, exp, iat };
    } catch {
      return undefined;
    }
  }
}

/** What an application learns about the person: the subject always, the rest with the scope `profile`. */
export function profileClaims(user: SandboxGameUser, scope: string, picture: string) {
  if (!scope.split(' ').includes('profile')) return { sub: user.id };
  return {
    sub: user.id,
    name: user.displayName,
    nickname: user.displayName,
    preferred_username: user.username,
    created_at: Math.floor(user.createdAt.getTime() / 1000),
    profile: `https://www.roblox.com/users/${user.id}/profile`,
    picture,
  };
}
