import { encoded, keyOf, signedBytes } from './webhook-signature.js';

export interface SignOptions {
  /** The delivery's `webhook-id`; a random one unless given. */
  id?: string;
  /** The signed time in milliseconds since 1970; `Date.now` unless given. */
  now?: () => number;
}

/**
 * Headers for a delivery with this body, signed as Rolelink signs it. It is for a receiver's tests.
 * @throws TypeError for a secret that can be none
 */
export async function signWebhook(
  body: Uint8Array | string,
  secret: string,
  { id = `evt_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`, now = Date.now }: SignOptions = {},
): Promise<{ 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }> {
  const sentAt = String(Math.floor(now() / 1000));
  const key = await keyOf(secret);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signedBytes(id, sentAt, encoded(body))));
  const base64 = btoa(String.fromCharCode(...signature));
  return { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': `v1,${base64}` };
}
