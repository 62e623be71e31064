import { createHmac } from 'node:crypto';
import type { EventName } from '../../platforms/events/event-types.js';

/** One attempt to deliver an event: its content and time. */
export interface SignedAttempt {
  event: EventName;
  deliveryId: string;
  eventId: string;
  /** The exact bytes of the body. */
  body: Buffer;
  /** The endpoint's secrets in force, newest first. Each signs, so that a receiver may know any of them. */
  secrets: readonly string[];
  at: Date;
  /** Whether it is a requested test. */
  test?: boolean;
}

/**
 * The headers of one attempt (HOOK-2).
 *
 * The seed's: `x-link-signature: t=<Unix seconds>,v1=<hex>`, with one `v1` for each secret. It is HMAC-SHA256 over the
 * raw body alone. Its key is the whole text of the secret, `whsec_` included, in UTF-8.
 *
 * Those of Standard Webhooks (standardwebhooks.com): `webhook-signature: v1,<base64>`, separated by spaces, over
 * `<webhook-id>.<webhook-timestamp>.<body>`. Its key is the 32 bytes after `whsec_` in base64. The id is the event's,
 * so that a receiver recognises repetitions; the signed time exposes a replay.
 */
export function signedHeaders(attempt: SignedAttempt): Record<string, string> {
  const { event, deliveryId, eventId, secrets, test = false } = attempt;
  const seconds = Math.floor(attempt.at.getTime() / 1000);
  const ofBody = secrets.map((secret) => `v1=${hmac(secret, attempt.body).toString('hex')}`);
  const signed = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), attempt.body]);
  const ofAll = secrets.map((secret) => `v1,${hmac(secretBytes(secret), signed).toString('base64')}`);
  return {
    'content-type': 'application/json',
    'x-link-signature': [`t=${seconds}`, ...ofBody].join(','),
    'x-link-event': event,
    'x-link-delivery': deliveryId,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': ofAll.join(' '),
    ...(test && { 'x-link-test': 'true' }),
  };
}

const hmac = (key: string | Buffer, signed: Buffer): Buffer => createHmac('sha256', key).update(signed).digest();

const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(secretPrefix.length), 'base64');

/** The prefix of every secret, as in Standard Webhooks. */
export const secretPrefix = 'whsec_';
