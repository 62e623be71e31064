import { createHmac } from 'node:crypto';
import type { EventName } from '../../platforms/events/event-types.js';

/** The values for `x-link-signature` and `webhook-signature`. */
export interface Signatures {
  link: string;
  standard: string;
}

/** One attempt to deliver an event: its content and time. */
export interface SignedAttempt {
  event: EventName;
  deliveryId: string;
  eventId: string;
  /** The body's exact bytes. */
  body: Buffer;
  /** The endpoint's secrets in force, newest first. Each signs, so that a receiver may know any one. */
  secrets: readonly string[];
  at: Date;
  test?: boolean;
}

export function signaturesOf({ eventId, secrets, at, body }: SignedAttempt): Signatures {
  const seconds = secondsOf(at);
  const ofBody = secrets.map((secret) => `v1=${hmac(secret, body).toString('hex')}`);
  const signed = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), body]);
  const ofAll = secrets.map((secret) => `v1,${hmac(secretBytes(secret), signed).toString('base64')}`);
  return { link: [`t=${seconds}`, ...ofBody].join(','), standard: ofAll.join(' ') };
}

/**
 * One attempt's headers (HOOK-2).
 *
 * The seed's: `x-link-signature: t=<Unix seconds>,v1=<hex>`, with one `v1` for each secret. It is HMAC-SHA256 over the
 * raw body alone. Its key is the secret's whole text, `whsec_` included, in UTF-8.
 *
 * Those of Standard Webhooks (standardwebhooks.com): `webhook-signature: v1,<base64>`, separated by spaces, over
 * `<webhook-id>.<webhook-timestamp>.<body>`. Its key is the 32 bytes after `whsec_` in base64. The id is the event's,
 * so that a receiver recognises repetitions; the signed time exposes a replay.
 */
export function signedHeaders(
  { event, deliveryId, eventId, at, test = false }: Omit<SignedAttempt, 'body' | 'secrets'>,
  { link, standard }: Signatures,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-link-signature': link,
    'x-link-event': event,
    'x-link-delivery': deliveryId,
    'webhook-id': eventId,
    'webhook-timestamp': String(secondsOf(at)),
    'webhook-signature': standard,
    ...(test && { 'x-link-test': 'true' }),
  };
}

/** The sender's name, next to the signed headers. */
export const agentHeader = { 'user-agent': 'Rolelink-Webhooks/1' } as const;

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

const hmac = (key: string | Buffer, signed: Buffer): Buffer => createHmac('sha256', key).update(signed).digest();

const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(secretPrefix.length), 'base64');

/** Every secret's prefix, as in Standard Webhooks. */
export const secretPrefix = 'whsec_';
