import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { z } from 'zod';
import { config } from '../config.js';

/**
 * Encrypts `content` (A256GCM) so that only who brings `secret` can read it again: the key comes from SECRETS_KEY and
 * from the secret, of which we store no more than a hash.
 */
export function seal(content: Record<string, unknown>, secret: string): Promise<string> {
  return new EncryptJWT(content).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(keyOf(secret));
}

/** What `seal` encrypted. Throws for another secret, and for a content of another shape. */
export async function unseal<T extends z.ZodType>(shape: T, sealed: string, secret: string): Promise<z.output<T>> {
  const { payload } = await jwtDecrypt(sealed, keyOf(secret));
  return shape.parse(payload);
}

const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', config().secretsKey, secret, 'verification', 32));
