import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Events } from './api-types.js';

/** The content of a delivery. `event` determines the fields of `data`. */
export type RolelinkEvent = Events[keyof Events];

/** The headers of a delivery: those of `node:http`, of a `Request`, or any record with names in lower case. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum seconds between the signed time and now; 300 unless given. */
  toleranceSeconds?: number;
  /** The time in milliseconds since 1970; `Date.now` unless given. */
  now?: () => number;
}

/** Thrown by `verifyWebhook`. Answer with 401, and do nothing else. */
export class WebhookNotGenuine extends Error {
  override readonly name = 'WebhookNotGenuine';
}

/**
 * Checks a delivery as Standard Webhooks has it, and returns its event.
 *
 * `body` is the body as it came, before any JSON parser. `secret` is the endpoint's, `whsec_…`; during a rotation give
 * both. The same event may come twice: remember its `id`.
 * @throws WebhookNotGenuine if no signature fits, or the signed time is too far from now
 * @throws TypeError for a secret or a tolerance that can be none
 */
export function verifyWebhook(
  body: Uint8Array | string,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): RolelinkEvent {
  if (!(toleranceSeconds >= 0 && toleranceSeconds < Number.POSITIVE_INFINITY)) {
    throw new TypeError('toleranceSeconds must be a number of seconds.');
  }
  const keys = [secret].flat().map(keyOf);
  if (keys.length === 0) throw notASecret();
  const [id, sentAt, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || sentAt === undefined || signatures === undefined) {
    throw new WebhookNotGenuine('The delivery has no webhook-id, webhook-timestamp or webhook-signature.');
  }
  if (!/^\d{1,15}$/.test(sentAt) || !(Math.abs(now() / 1000 - Number(sentAt)) <= toleranceSeconds)) {
    throw new WebhookNotGenuine('The signed time is too far from the time of this machine.');
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const given = signatures.split(' ').filter((each) => each.startsWith('v1,'));
  const isGenuine = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(bytes).digest();
    return given.some((signature) => isEqual(Buffer.from(signature.slice('v1,'.length), 'base64'), expected));
  });
  if (!isGenuine) throw new WebhookNotGenuine('No signature fits the body and the secret.');
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The shortest key of Standard Webhooks, in bytes. */
const shortestKey = 24;

/** @throws TypeError for a text that can't be a secret, such as a missing variable. Anyone could sign with a short key. */
function keyOf(secret: string): Buffer {
  const [, coded = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? [];
  const key = Buffer.from(coded, 'base64');
  if (key.length < shortestKey) throw notASecret();
  return key;
}

const notASecret = (): TypeError => new TypeError('The secret of a webhook endpoint looks like whsec_…');

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
