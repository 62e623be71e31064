import { randomBytes } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';

/** What Roblox knows about the operator's API key. */
export interface KeyState {
  enabled: boolean;
  /** When it expires; never when null. */
  expiresAt: Date | null;
  /** Each `name:operation`. */
  scopes: string[];
  /** The universes chosen for messages to their games. */
  universeIds: string[];
  /** Its maker's account: the key has that account's rights in a group. */
  accountId: string;
}

/** In a list of chosen ids: every one of the account. */
export const anyId = '*';
const messages = 'universe-messaging-service';

const goodKey: Readonly<KeyState> = {
  enabled: true,
  expiresAt: null,
  scopes: ['group:read', 'group:write', 'legacy-group:manage', `${messages}:publish`],
  universeIds: [anyId],
  accountId: '1',
};

/** The sandbox's one API key, which tests may disable, let expire or narrow. */
export class ApiKey implements KeyState {
  readonly secret = randomBytes(32).toString('base64');
  enabled = goodKey.enabled;
  expiresAt = goodKey.expiresAt;
  scopes = goodKey.scopes;
  universeIds = goodKey.universeIds;
  accountId = goodKey.accountId;

  /** It is enabled, does not expire and has every scope again; its account stays. */
  mend(): void {
    Object.assign(this, { ...goodKey, accountId: this.accountId });
  }

  get expired(): boolean {
    return this.expiresAt !== null && this.expiresAt <= clock.now();
  }

  /** Whether Open Cloud serves who sends `secret`. */
  admits(secret: string): boolean {
    return secret === this.secret && this.enabled && !this.expired;
  }

  /** The answer to POST /api-keys/v1/introspect (Roblox cloud/auth/api-keys). */
  describe() {
    const { enabled, expired, expiresAt, accountId } = this;
    const names = [...new Set(this.scopes.map((scope) => scope.split(':')[0] ?? ''))];
    const operations = (name: string) =>
      this.scopes.filter((scope) => scope.startsWith(`${name}:`)).map((scope) => scope.slice(name.length + 1));
    return {
      name: 'Rolelink',
      authorizedUserId: Number(accountId),
      scopes: names.map((name) => ({
        name,
        operations: operations(name),
        ...(name === messages && { universeIds: this.universeIds }),
      })),
      enabled,
      expired,
      ...(expiresAt && { expirationTimeUtc: expiresAt.toISOString() }),
    };
  }
}
