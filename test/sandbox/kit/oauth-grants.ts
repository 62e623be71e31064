import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';

/** One person's consent to one application. All codes and tokens that come from it end with it. */
export interface Authorization {
  readonly id: string;
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
export class OAuthGrants {
  readonly #grants = new Map<string, Grant>();

  /** Lifetimes in seconds. */
  constructor(readonly lifetimes: Readonly<Record<Grant['kind'], number>>) {}

  /** A new code or token for `authorization`; the text is the secret that the client gets. */
  issue(
    kind: Grant['kind'],
    authorization: Authorization,
    extra: Pick<Grant, 'codeChallenge' | 'redirectUri'> = {},
  ): string {
    const issuedAt = nowInSeconds();
    const secret = randomBytes(32).toString('base64url');
    const jti = `${kind === 'refresh' ? 'RT' : 'AT'}.${randomBytes(12).toString('base64url')}`;
    const expiresAt = issuedAt + this.lifetimes[kind];
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
   * Uses up a code or refresh token. Undefined when it is unknown, expired, revoked or was used before. A second use
   * also ends the authorization, since its tokens may be stolen (RFC 6749 §10.4, §10.5).
   */
  redeem(kind: 'code' | 'refresh', secret: string): Grant | undefined {
    const grant = this.find(secret);
    if (grant?.kind !== kind) return undefined;
    if (grant.used) grant.authorization.revoked = true;
    if (grant.authorization.revoked || !isAlive(grant)) return undefined;
    grant.used = true;
    return grant;
  }

  /** Ends the authorization that the code or token belongs to; an unknown one is no error (RFC 7009 §2.2). */
  revoke(secret: string): void {
    const grant = this.find(secret);
    if (grant) grant.authorization.revoked = true;
  }

  /** Ends all that a person has agreed to. */
  revokeAllOf(userId: string): void {
    for (const { authorization } of this.#grants.values()) {
      if (authorization.userId === userId) authorization.revoked = true;
    }
  }
}

/** A person's fresh consent. */
export function authorizationOf(userId: string, scope: string, nonce?: string): Authorization {
  return { id: randomUUID(), userId, scope, nonce, revoked: false };
}

/** Whether the lifetime is not over yet; a revoked token is alive by this measure, as it is for Roblox' introspection. */
export function isAlive(grant: Grant): boolean {
  return nowInSeconds() < grant.expiresAt;
}

/** RFC 7636 §4.6: the challenge that belongs to a verifier under the method S256; undefined without a verifier. */
export function challengeOf(verifier: string | undefined): string | undefined {
  return verifier === undefined ? undefined : createHash('sha256').update(verifier).digest('base64url');
}

export function nowInSeconds(): number {
  return Math.floor(clock.epochMs() / 1000);
}
