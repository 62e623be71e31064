import type { Events } from './api-types.js';
import { bytesOf, encoded, keyOf, notASecret, type SecretKey, signedBytes } from './webhook-signature.js';

/** A delivery's content. `event` determines `data`'s fields. */
export type RolelinkEvent = Events[keyof Events];

/** A delivery's headers: those of `node:http`, of a `Request`, or any record. Names may have any case. */
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
export async function verifyWebhook(
  body: Uint8Array | string,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<RolelinkEvent> {
  if (!(toleranceSeconds >= 0 && toleranceSeconds < Number.POSITIVE_INFINITY)) {
    throw new TypeError('toleranceSeconds must be a number of seconds.');
  }
  const keys = await Promise.all([secret].flat().map(keyOf));
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
  const bytes = encoded(body);
  const signed = signedBytes(id, sentAt, bytes);
  if (!(await isSigned(signed, signatures, keys))) {
    throw new WebhookNotGenuine('No signature fits the body and the secret.');
  }
  return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** Whether any signature was made with any key. Web Crypto compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly SecretKey[],
): Promise<boolean> {
  for (const signature of signatures.split(' ').filter((each) => each.startsWith('v1,'))) {
    const given = bytesOf(signature.slice('v1,'.length));
    if (given === undefined) continue;
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, given, signed)) return true;
  }
  return false;
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
