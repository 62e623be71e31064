import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, diskFault } from '../lib/start-error.js';

/** One signing key of bot tokens: `kid` goes into the token's header. */
export interface BotTokenKey {
  kid: string;
  secret: string;
}

export interface SecretKeys {
  /** 32 bytes that encrypt stored secrets (ENV-18). */
  secretsKey: Uint8Array;
  /** The first signs, all verify, so that keys rotate without breaking tokens (AUTH-19). */
  botTokenKeys: BotTokenKey[];
}

/** SECRETS_KEY as text. */
export const secretsKeyText = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64');

/** Keys from the environment, and the folder that keeps the generated ones. */
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

/** The file that each of the keys is in; null where the environment has it. */
export interface KeyPlaces {
  secretsKey: string | null;
  botTokenKeys: string | null;
}

export function placesOf({ secretsKey, botTokenKeys, dataDir }: KeySources): KeyPlaces {
  const path = join(resolve(dataDir), 'keys.json');
  return { secretsKey: secretsKey === undefined ? path : null, botTokenKeys: botTokenKeys === undefined ? path : null };
}

/** The file that generated keys are in; null where the environment has all. */
export const keyFileOf = ({ secretsKey, botTokenKeys }: KeyPlaces): string | null => secretsKey ?? botTokenKeys;

/** Key files that this process has made. */
const made = new Set<string>();

export const hasMadeKeys = (path: string | null): boolean => path !== null && made.has(path);

/** Removes a key file that this process has made and that nothing was written with. */
export function discardMadeKeys(path: string | null): void {
  if (path !== null && made.delete(path)) rmSync(path, { force: true });
}

/**
 * The keys of the environment; missing ones are generated once and kept in `DATA_DIR/keys.json` (mode 600). Throws
 * ConfigError when they can't be written, or that file is damaged: with other keys, everything encrypted and signed so far would be worthless.
 */
export function loadSecretKeys(sources: KeySources): SecretKeys {
  const path = keyFileOf(placesOf(sources));
  try {
    if (path !== null && !existsSync(path)) makeKeys(sources.dataDir, path);
  } catch (cause) {
    throw new ConfigError(diskFault(sources.dataDir, cause) ?? `The keys in ${path} cannot be made.`, { cause });
  }
  return readSecretKeys(sources);
}

/** The keys of the environment and of the file, which must be there. Throws ConfigError. */
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

/** `link` makes the file appear whole or not at all. If two processes generate keys at once, the first file stays. */
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
