import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { z } from 'zod';

let secretsKey: Uint8Array | undefined;

/** Sets the 32 bytes of SECRETS_KEY that seal everything from now on. */
export function sealWith(key: Uint8Array): void {
  secretsKey = key;
}

/**
 * What a sealing key is derived from besides SECRETS_KEY. `purpose` separates kinds of secrets. `salt` must also be
 * known to read the content: a secret that we store only as a hash, or the id of what the content belongs to.
 */
export interface SealFor {
  purpose: 'verification' | 'webhook-endpoint' | 'idempotent-answer' | 'erased-actor' | 'linked-role' | 'people-import';
  salt: string;
}

/** Encrypts `content` (A256GCM under a key of its own), so that what is stored can't be read without SECRETS_KEY. */
export function seal(content: Record<string, unknown>, sealFor: SealFor): Promise<string> {
  return new EncryptJWT(content).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(keyFor(sealFor));
}

/** The content can't be read, now or later: SECRETS_KEY was replaced, or what is stored is damaged. */
export class SealBroken extends Error {}

/**
 * Decrypts what `seal` encrypted. Throws SealBroken for another purpose, salt or SECRETS_KEY, and for content of another
 * shape.
 */
export async function unseal<T extends z.ZodType>(shape: T, sealed: string, sealFor: SealFor): Promise<z.output<T>> {
  const key = keyFor(sealFor);
  try {
    const { payload } = await jwtDecrypt(sealed, key);
    return shape.parse(payload);
  } catch (cause) {
    throw new SealBroken('No key opens what is stored here.', { cause });
  }
}

function keyFor({ purpose, salt }: SealFor): Uint8Array {
  if (secretsKey === undefined) throw new Error('There is no key to seal with yet.');
  return new Uint8Array(hkdfSync('sha256', secretsKey, salt, purpose, 32));
}
