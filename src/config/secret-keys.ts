import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, diskFault } from '../lib/start-error.js';

/** One signing key for bot tokens: `kid` goes into the token's header. */
export interface BotTokenKey {
  kid: string;
  secret: string;
}

export interface SecretKeys {
  /** 32 bytes that encrypt stored secrets (ENV-18). */
  secretsKey: Uint8Array;
  /** The first one signs and all verify, so that keys rotate without breaking tokens (AUTH-19). */
  botTokenKeys: BotTokenKey[];
}

/** One key of BOT_TOKEN_KEYS. */
export const botTokenKey = z
  .string()
  .regex(/^[\w-]+:.{32,}$/, 'each key must be kid:secret, the secret at least 32 characters long')
  .transform((text) => {
    const [kid = '', ...rest] = text.split(':');
    return { kid, secret: rest.join(':') };
  });

export const secretsKeyText = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64');

export interface KeySources {
  /** 32 bytes in base64. */
  secretsKey?: string | undefined;
  botTokenKeys?: BotTokenKey[] | undefined;
  dataDir: string;
}

const keyFile = z.strictObject({
  secretsKey: secretsKeyText,
  botTokenKeys: z.array(z.strictObject({ kid: z.string().min(1), secret: z.string().min(32) })).min(1),
});

/** Each key's file; null for a key from the environment. */
export interface KeyPlaces {
  secretsKey: string | null;
  botTokenKeys: string | null;
}

export function placesOf({ secretsKey, botTokenKeys, dataDir }: KeySources): KeyPlaces {
  const path = join(resolve(dataDir), 'keys.json');
  return { secretsKey: secretsKey === undefined ? path : null, botTokenKeys: botTokenKeys === undefined ? path : null };
}

/** The file with generated keys; null if all come from the environment. */
export const keyFileOf = ({ secretsKey, botTokenKeys }: KeyPlaces): string | null => secretsKey ?? botTokenKeys;

const made = new Set<string>();

export const hasMadeKeys = (path: string | null): boolean => path !== null && made.has(path);

/** Removes a key file created by this process, if nothing was written with its keys. */
export function discardMadeKeys(path: string | null): void {
  if (path !== null && made.delete(path)) rmSync(path, { force: true });
}

/**
 * The environment's keys; missing ones are generated once and stored in `DATA_DIR/keys.json` (mode 600). Throws
 * ConfigError if they can't be written or the file is damaged. With other keys, everything encrypted and signed so far
 * would be unusable.
 */
export function loadSecretKeys(sources: KeySources): SecretKeys {
  const path = keyFileOf(placesOf(sources));
  try {
    if (path !== null && !existsSync(path)) makeKeys(sources.dataDir, path);
  } catch (cause) {
    throw new ConfigError(diskFault(sources.dataDir, cause) ?? `The keys in ${path} can't be created.`, { cause });
  }
  return readSecretKeys(sources);
}

/** The keys from the environment and the file, which must exist. Throws ConfigError. */
export function readSecretKeys(sources: KeySources): SecretKeys {
  const path = keyFileOf(placesOf(sources));
  const kept = path === null ? null : readKeyFile(path);
  return {
    secretsKey: Buffer.from(sources.secretsKey ?? kept?.secretsKey ?? '', 'base64'),
    botTokenKeys: sources.botTokenKeys ?? kept?.botTokenKeys ?? [],
  };
}

function readKeyFile(path: string): z.output<typeof keyFile> {
  try {
    return keyFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const words = `The keys in ${path} cannot be read. Restore the file, or set SECRETS_KEY and BOT_TOKEN_KEYS.`;
    throw new ConfigError(words, { cause });
  }
}

/** `link` creates the complete file or none. If two processes generate keys at the same time, the first file stays. */
function makeKeys(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  const keys: z.output<typeof keyFile> = {
    secretsKey: randomBytes(32).toString('base64'),
    botTokenKeys: [{ kid: randomBytes(4).toString('hex'), secret: randomBytes(32).toString('base64url') }],
  };
  try {
    writeFileSync(draft, JSON.stringify(keys), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, path);
    made.add(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
