/** A Web Crypto key. Some runtimes' types lack its own name. */
export type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Standard Webhooks' shortest key, in bytes. */
const shortestKey = 24;

/**
 * A webhook endpoint's key, from its secret, `whsec_…`.
 * @throws TypeError for a text that can't be a secret, such as a missing variable. Anyone could sign with a short key.
 */
export async function keyOf(secret: string): Promise<SecretKey> {
  const [, coded = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? [];
  const bytes = bytesOf(coded);
  if (bytes === undefined || bytes.length < shortestKey) throw notASecret();
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

export const notASecret = (): TypeError => new TypeError('The secret of a webhook endpoint looks like whsec_…');

/** A delivery's signed bytes, as Standard Webhooks has them. */
export function signedBytes(id: string, sentAt: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${sentAt}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}

export const encoded = (body: Uint8Array | string): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

/** A base64 text's bytes; undefined for any other text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
