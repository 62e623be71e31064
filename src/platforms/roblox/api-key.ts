import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { robloxConfig } from './roblox-config.js';
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

/** With this scope, ranks in groups are written. */
const rankScope = 'group:write';

const introspection = z.object({
  /** Its maker's account. The key has the rights of that account. */
  authorizedUserId: z.int().positive().transform(String).nullish(),
  scopes: z.array(z.object({ name: z.string(), operations: z.array(z.string()).nullish() })),
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
}

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
  if (key === null) return { fault: 'wrong', readsLogs: false, writesRanks: false, accountId: null };
  const held = key.scopes.flatMap(({ name, operations }) =>
    (operations ?? []).map((operation) => `${name}:${operation}`),
  );
  return {
    fault: faultOf(key, held),
    readsLogs: held.includes(logScope),
    writesRanks: held.includes(rankScope),
    accountId: key.authorizedUserId ?? null,
  };
}

function faultOf(key: z.output<typeof introspection>, held: readonly string[]): KeyFault | null {
  if (!key.enabled) return 'disabled';
  if (key.expired) return 'expired';
  if (!neededScopes.every((scope) => held.includes(scope))) return 'scope_missing';
  const { expirationTimeUtc: end } = key;
  return end && Date.parse(end) - clock.epochMs() < soonMs ? 'expiring' : null;
}
