import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { hashSecret } from '../../lib/ids.js';
import { type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { dayMs } from '../../lib/time.js';
import type { SealedSecret, WebhookEndpoint } from './endpoint-model.js';
import { secretPrefix } from './signature.js';

/** How long a secret goes on signing beside the one that replaced it, in milliseconds (SPEC §7). */
const overlapMs = dayMs;
/** How many secrets of an endpoint sign at most, so that rotating again and again makes no header without an end. */
const mostInForce = 3;

const content = z.object({ secret: z.string() });

/** A secret cannot be read without the id of the endpoint that it was made for. */
const belongingTo = (endpointId: string): SealFor => ({ purpose: 'webhook-endpoint', salt: endpointId });

/** A new secret for an endpoint, `whsec_` + 32 random bytes in base64: as shown once, and as stored. */
export async function newEndpointSecret(
  endpointId: string,
  at: Date,
): Promise<{ secret: string; stored: SealedSecret }> {
  const secret = `${secretPrefix}${randomBytes(32).toString('base64')}`;
  const sealed = await seal({ secret }, belongingTo(endpointId));
  const fingerprint = hashSecret(secret).slice(0, 12);
  return { secret, stored: { sealed, fingerprint, createdAt: at, validUntil: null } };
}

/** Those of the secrets that still sign at `at`, newest first. */
export function inForce(secrets: readonly SealedSecret[], at: Date): SealedSecret[] {
  return secrets.filter(({ validUntil }) => validUntil === null || validUntil > at);
}

/**
 * The secrets after a rotation at `at`: the new one, and those before it for 24 hours from when each was replaced, at
 * most three in all; with `immediately` the new one alone.
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

/** Opened secrets of this process, so that not every delivery has to decrypt. */
const opened = new LRUCache<string, string, string>({
  max: 1_000,
  fetchMethod: async (sealed, _stale, { context: endpointId }) =>
    (await unseal(content, sealed, belongingTo(endpointId))).secret,
});

/**
 * The secrets that sign an attempt at `at`, newest first. One that was sealed under another SECRETS_KEY is left out, so
 * that a rotation mends an endpoint after the key was lost. Throws when none is left.
 */
export async function signingSecrets(
  { _id, secrets }: Pick<WebhookEndpoint, '_id' | 'secrets'>,
  at: Date,
): Promise<string[]> {
  const opening = inForce(secrets, at).map(({ sealed }) => opened.forceFetch(sealed, { context: _id }));
  const results = await Promise.allSettled(opening);
  const readable = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (readable.length === 0) throw new Error(`No secret of ${_id} can be read: SECRETS_KEY has changed. Rotate it.`);
  return readable;
}
