import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.js';

/** One signing key of bot tokens: `kid` goes into the token's header. */
export interface BotTokenKey {
  kid: string;
  secret: string;
}

export interface SecretKeys {
  /** 32 bytes; encrypts what must be stored but not read (SPEC §10). */
  secretsKey: Uint8Array;
  /** The first signs, all verify, so that keys rotate without breaking tokens (SPEC §2). */
  botTokenKeys: BotTokenKey[];
}

const keyFile = z.strictObject({
  secretsKey: z.base64(),
  botTokenKeys: z.array(z.strictObject({ kid: z.string(), secret: z.string() })).min(1),
});

/** Keys from the environment where given; the others are made once and kept in `DATA_DIR/keys.json` (mode 600). */
export function loadSecretKeys(config: Pick<Config, 'secretsKey' | 'botTokenKeys' | 'dataDir'>): SecretKeys {
  const { secretsKey, botTokenKeys } = config;
  const kept = secretsKey !== undefined && botTokenKeys !== undefined ? null : readOrMakeKeys(config.dataDir);
  return {
    secretsKey: Buffer.from(secretsKey ?? kept?.secretsKey ?? '', 'base64'),
    botTokenKeys: botTokenKeys ?? kept?.botTokenKeys ?? [],
  };
}

function readOrMakeKeys(dataDir: string): z.output<typeof keyFile> {
  const path = join(dataDir, 'keys.json');
  mkdirSync(dataDir, { recursive: true });
  const made = {
    secretsKey: randomBytes(32).toString('base64'),
    botTokenKeys: [{ kid: randomBytes(4).toString('hex'), secret: randomBytes(32).toString('base64url') }],
  };
  try {
    writeFileSync(path, JSON.stringify(made), { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return keyFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  }
}
