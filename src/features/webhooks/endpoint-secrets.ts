import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { hashSecret } from '../../lib/ids.js';
import { type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { dayMs } from '../../lib/time.js';
import type { SealedSecret, WebhookEndpoint } from './endpoint-model.js';
import { secretPrefix } from './signature.js';

/** How long a replaced secret still signs, in milliseconds (HOOK-7). */
const overlapMs = dayMs;
/** How many of an endpoint's secrets sign at most, so that rotating again and again makes no header without an end. */
const mostInForce = 3;

const content = z.object({ secret: z.string() });

/** A secret can be read only together with its endpoint's id. */
const belongingTo = (endpointId: string): SealFor => ({ purpose: 'webhook-endpoint', salt: endpointId });

/** A new secret for an endpoint, `whsec_` + 32 random bytes in base64: the text to show once, and the stored form. */
export async function newEndpointSecret(
  endpointId: string,
  at: Date,
): Promise<{ secret: string; stored: SealedSecret }> {
  const secret = `${secretPrefix}${randomBytes(32).toString('base64')}`;
  const sealed = await seal({ secret }, belongingTo(endpointId));
  const fingerprint = hashSecret(secret).slice(0, 12);
  return { secret, stored: { sealed, fingerprint, createdAt: at, validUntil: null } };
}

/** The secrets that still sign at `at`, newest first. */
export function inForce(secrets: readonly SealedSecret[], at: Date): SealedSecret[] {
  return secrets.filter(({ validUntil }) => validUntil === null || validUntil > at);
}

/**
 * The secrets after a rotation at `at`. Older ones stay for 24 hours from their replacement, with at most three in all;
 * with `immediately` only the new one stays.
 */
export function rotated(
  secrets: readonly SealedSecret[],
  added: SealedSecret,
  at: Date,
  { immediately }: { immediately: boolean },
): SealedSecret[] {
  if (immediately) return [added];
  const end = new Date(at.getTime() + overlapMs);
  const before = inForce(secrets, at).map((secret) => ({ ...secret, validUntil: secret.validUntil ?? end }));
  return [added, ...before].slice(0, mostInForce);
}

/** None of an endpoint's secrets can be read: SECRETS_KEY has changed. A rotation repairs it. */
export class SecretUnreadable extends Error {
  constructor() {
    super('The secret of this webhook can no longer be read. Rotate it.');
  }
}

/** Secrets that this process has decrypted, so that not every delivery has to. */
const opened = new LRUCache<string, string, string>({
  max: 1_000,
  // A secret that gives way to others while it is read is no unreadable one.
  ignoreFetchAbort: true,
  fetchMethod: async (sealed, _stale, { context: endpointId }) =>
    (await unseal(content, sealed, belongingTo(endpointId))).secret,
});

/**
 * The secrets that sign an attempt at `at`, newest first. A secret sealed under another SECRETS_KEY is skipped, so that
 * a rotation repairs an endpoint after the key was lost. Throws SecretUnreadable when none is left.
 */
export async function signingSecrets(
  { _id, secrets }: Pick<WebhookEndpoint, '_id' | 'secrets'>,
  at: Date,
): Promise<string[]> {
  const opening = inForce(secrets, at).map(({ sealed }) => opened.forceFetch(sealed, { context: _id }));
  const results = await Promise.allSettled(opening);
  const readable = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (readable.length === 0) throw new SecretUnreadable();
  return readable;
}

/** Whether an attempt at `at` could be signed. */
export async function canSign(endpoint: Pick<WebhookEndpoint, '_id' | 'secrets'>, at: Date): Promise<boolean> {
  return signingSecrets(endpoint, at).then(
    () => true,
    () => false,
  );
}
