import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { dayMs, secondMs } from '../../lib/time.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration, robloxConfig } from './roblox-config.js';
import { readRoblox } from './roblox-http.js';

/** The API key's current or upcoming fault; `null` for a good key and for none. */
export const keyFaults = ['wrong', 'disabled', 'expired', 'expiring', 'scope_missing'] as const;
export type KeyFault = (typeof keyFaults)[number];

/** The minimum scopes in the operator's guide: endpoints with scopes require it. */
const neededScopes = ['group:read'];
/** With this scope, the logs of the owner's groups are readable. */
const logScope = 'legacy-group:manage';
/** A key that expires within this time is reported. */
const soonMs = 7 * dayMs;

/** With this operation of the scope, messages reach running games. */
const messageScope = { name: 'universe-messaging-service', operation: 'publish' };
/** In a scope's list of ids: every one of the key's account. */
const anyId = '*';

/** With this scope, ranks in groups are written. */
const rankScope = 'group:write';

const introspection = z.object({
  /** Its maker's account. The key has the rights of that account. */
  authorizedUserId: z.int().positive().transform(String).nullish(),
  scopes: z.array(
    z.object({
      name: z.string(),
      operations: z.array(z.string()).nullish(),
      /** Absent in a scope without a choice of experiences. Roblox documents no form, so another form counts as absent. */
      universeIds: z
        .array(z.union([z.string(), z.int().transform(String)]))
        .nullish()
        .catch(null),
    }),
  ),
  enabled: z.boolean(),
  expired: z.boolean(),
  expirationTimeUtc: z.iso.datetime({ offset: true }).nullish(),
});

interface KeyState {
  fault: KeyFault | null;
  /** Whether it may read group logs, where its owner may. */
  readsLogs: boolean;
  /** Whether it may change ranks, where its owner may. */
  writesRanks: boolean;
  /** The account of its owner; null where Roblox doesn't say. */
  accountId: string | null;
  /** Whether its scopes let it send messages to the running games of this universe. The account's rights count too. */
  maySendTo(universeId: string): boolean;
}

const mayNot = (): boolean => false;

/** Our own API key's fault. Throws GamePlatformUnavailable. */
export async function readKeyFault(): Promise<KeyFault | null> {
  return (await readKeyState())?.fault ?? null;
}

/**
 * Asks Roblox about our own API key (POST /api-keys/v1/introspect), including whether this address may use it. The key
 * is sent only in that request; null without a key. Throws GamePlatformUnavailable.
 */
export async function readKeyState(): Promise<KeyState | null> {
  const { apiKey } = robloxConfig();
  if (apiKey === undefined) return null;
  const key = await readRoblox({
    host: 'apis',
    endpoint: 'introspect',
    path: '/api-keys/v1/introspect',
    body: { apiKey },
    answer: introspection,
    absent: { status: 401, code: 0 },
  });
  if (key === null) return { fault: 'wrong', readsLogs: false, writesRanks: false, accountId: null, maySendTo: mayNot };
  const held = key.scopes.flatMap(({ name, operations }) =>
    (operations ?? []).map((operation) => `${name}:${operation}`),
  );
  return {
    fault: faultOf(key, held),
    readsLogs: held.includes(logScope),
    writesRanks: held.includes(rankScope),
    accountId: key.authorizedUserId ?? null,
    maySendTo: (universeId) => key.scopes.some((scope) => isForMessages(scope, universeId)),
  };
}

const recentMs = 10 * secondMs;
const recentState = perConfiguration(() => new ReadThroughCache({ max: 1, ttlMs: recentMs }, () => readKeyState()));

/** The same, up to ten seconds old: admins ask as often as they save. Throws GamePlatformUnavailable. */
export const readRecentKeyState = (): Promise<KeyState | null> => recentState().read('key');

type Scope = z.output<typeof introspection>['scopes'][number];

function isForMessages({ name, operations, universeIds }: Scope, universeId: string): boolean {
  if (name !== messageScope.name || !operations?.includes(messageScope.operation)) return false;
  return !universeIds || universeIds.includes(anyId) || universeIds.includes(universeId);
}

function faultOf(key: z.output<typeof introspection>, held: readonly string[]): KeyFault | null {
  if (!key.enabled) return 'disabled';
  if (key.expired) return 'expired';
  if (!neededScopes.every((scope) => held.includes(scope))) return 'scope_missing';
  const { expirationTimeUtc: end } = key;
  return end && Date.parse(end) - clock.epochMs() < soonMs ? 'expiring' : null;
}
