import { hkdfSync } from 'node:crypto';
import type { z } from 'zod';
import { onFirstUse } from './on-first-use.js';

const jose = onFirstUse(() => import('jose'));

let secretsKey: Uint8Array | undefined;

/** Sets the 32 bytes of SECRETS_KEY for sealing. */
export function sealWith(key: Uint8Array): void {
  secretsKey = key;
}

/**
 * A sealing key's inputs in addition to SECRETS_KEY. `purpose` separates kinds. `salt` is also needed to read the
 * content: a secret stored only as a hash, or the content owner's id.
 */
export interface SealFor {
  purpose: 'verification' | 'webhook-endpoint' | 'idempotent-answer' | 'erased-actor' | 'linked-role' | 'people-import';
  salt: string;
}

/** Encrypts `content` (A256GCM under its own key), so that the stored text can't be read without SECRETS_KEY. */
export async function seal(content: Record<string, unknown>, sealFor: SealFor): Promise<string> {
  const { EncryptJWT } = await jose();
  return new EncryptJWT(content).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(keyFor(sealFor));
}

/** The content can never be read: SECRETS_KEY was replaced, or the stored text is damaged. */
export class SealBroken extends Error {}

/**
 * Decrypts `seal`'s output. Throws SealBroken for another purpose, salt or SECRETS_KEY, and for content in another
 * shape.
 */
export async function unseal<T extends z.ZodType>(shape: T, sealed: string, sealFor: SealFor): Promise<z.output<T>> {
  const key = keyFor(sealFor);
  const { jwtDecrypt } = await jose();
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
