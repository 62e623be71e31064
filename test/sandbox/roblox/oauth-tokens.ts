import { createHash, randomBytes } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { clock } from '../../../src/lib/clock.js';
import type { SandboxGameUser } from './user-directory.js';

/** Lifetimes in seconds (Roblox cloud/auth/oauth2-reference); the access token's is told as 899, as in the examples. */
export const lifetimes = { code: 60, access: 899, refresh: 90 * 24 * 60 * 60, id: 36_000 } as const;

/** One person's consent to one application. All codes and tokens that come of it end with it. */
export interface Authorization {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  /** Space-separated. */
  readonly scope: string;
  readonly nonce: string | undefined;
  revoked: boolean;
}

/** A code, access token or refresh token; times are Unix seconds. */
export interface Grant {
  readonly kind: 'code' | 'access' | 'refresh';
  readonly jti: string;
  readonly authorization: Authorization;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly codeChallenge?: string | undefined;
  readonly redirectUri?: string | undefined;
  used: boolean;
}

/** Gives out and checks codes and tokens: codes and refresh tokens once, within their lifetime. */
export class OAuthTokens {
  readonly #grants = new Map<string, Grant>();
  readonly #privateKey: CryptoKey;
  readonly #publicKey: CryptoKey;

  private constructor(
    privateKey: CryptoKey,
    publicKey: CryptoKey,
    readonly publicJwk: JWK,
  ) {
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

  /** A new code or token of `authorization`; the text is the secret that the client gets. */
  issue(kind: Grant['kind'], authorization: Authorization, extra: Pick<Grant, 'codeChallenge' | 'redirectUri'> = {}) {
    const issuedAt = nowInSeconds();
    const secret = randomBytes(32).toString('base64url');
    const jti = `${kind === 'refresh' ? 'RT' : 'AT'}.${randomBytes(12).toString('base64url')}`;
    const expiresAt = issuedAt + lifetimes[kind];
    this.#grants.set(secret, { kind, jti, authorization, issuedAt, expiresAt, used: false, ...extra });
    return secret;
  }

  /** Whatever was ever issued under this text, also when it is used, expired or revoked. */
  find(secret: string): Grant | undefined {
    return this.#grants.get(secret);
  }

  /** An access token that works now. */
  findAccess(secret: string): Grant | undefined {
    const grant = this.find(secret);
    return grant?.kind === 'access' && isAlive(grant) && !grant.authorization.revoked ? grant : undefined;
  }

  /**
   * Uses up a code or refresh token. Undefined when it is unknown, expired, revoked or was used before; a second use
   * also ends the authorization, since somebody else may hold its tokens (RFC 6749 §10.4, §10.5).
   */
  redeem(kind: 'code' | 'refresh', secret: string, clientId: string): Grant | undefined {
    const grant = this.find(secret);
    if (grant?.kind !== kind || grant.authorization.clientId !== clientId) return undefined;
    if (grant.used) grant.authorization.revoked = true;
    if (grant.authorization.revoked || !isAlive(grant)) return undefined;
    grant.used = true;
    return grant;
  }

  /** An id token (ES256): the subject, and with the scope `profile` the claims of the person's profile. */
  async signIdToken(authorization: Authorization, issuer: string, claims: Record<string, unknown>): Promise<string> {
    const issuedAt = nowInSeconds();
    const { nonce, clientId, userId } = authorization;
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

  /** The claims that introspection tells of an id token; undefined when it is not ours or has expired. */
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

/** What an application learns of the person: the subject always, the rest with the scope `profile`. */
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

/** Whether the lifetime is not over yet; a revoked token is alive by this measure, as it is for Roblox' introspection. */
export function isAlive(grant: Grant): boolean {
  return nowInSeconds() < grant.expiresAt;
}

/** RFC 7636 §4.6: the challenge that belongs to a verifier under the method S256. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function nowInSeconds(): number {
  return Math.floor(clock.epochMs() / 1000);
}
