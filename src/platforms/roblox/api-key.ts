import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { robloxConfig } from './roblox-config.js';
import { readRoblox } from './roblox-http.js';

/** What is wrong, or soon will be, with the API key; `null` for a key that is good, and for none at all. */
export const keyFaults = ['wrong', 'disabled', 'expired', 'expiring', 'scope_missing'] as const;
export type KeyFault = (typeof keyFaults)[number];

/** The least that the guide has operators allow the key: Roblox asks for it where it asks for a scope at all. */
const neededScopes = ['group:read'];
/** With it the owner's groups show their logs. */
const logScope = 'legacy-group:manage';
/** A key that ends within this time is told of. */
const soonMs = 7 * dayMs;

const introspection = z.object({
  scopes: z.array(z.object({ name: z.string(), operations: z.array(z.string()).nullish() })),
  enabled: z.boolean(),
  expired: z.boolean(),
  expirationTimeUtc: z.iso.datetime({ offset: true }).nullish(),
});

interface KeyLook {
  fault: KeyFault | null;
  /** Whether it may read the logs of groups, where its owner may. */
  readsLogs: boolean;
}

/** What is wrong with our own API key. Throws GamePlatformUnavailable. */
export async function readKeyFault(): Promise<KeyFault | null> {
  return (await lookAtKey())?.fault ?? null;
}

/**
 * Asks Roblox about our own API key (POST /api-keys/v1/introspect), which also tells whether it may be used from this
 * address. The key itself goes nowhere but into that request; null without one. Throws GamePlatformUnavailable.
 */
export async function lookAtKey(): Promise<KeyLook | null> {
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
  if (key === null) return { fault: 'wrong', readsLogs: false };
  const held = key.scopes.flatMap(({ name, operations }) =>
    (operations ?? []).map((operation) => `${name}:${operation}`),
  );
  return { fault: faultOf(key, held), readsLogs: held.includes(logScope) };
}

function faultOf(key: z.output<typeof introspection>, held: readonly string[]): KeyFault | null {
  if (!key.enabled) return 'disabled';
  if (key.expired) return 'expired';
  if (!neededScopes.every((scope) => held.includes(scope))) return 'scope_missing';
  const { expirationTimeUtc: end } = key;
  return end && Date.parse(end) - clock.epochMs() < soonMs ? 'expiring' : null;
}
