import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDotEnv } from '../lib/environment-file.js';
import { ConfigError, fileFault } from '../lib/start-error.js';

type Variables = Record<string, string | undefined>;

/** The `.env` file that this process has read, with the names that the environment sets to another value. */
let file: { path: string; isMissing: boolean; overridden: string[] } | undefined;

/** The variables with a value: an empty one counts as unset (ENV-1). */
export function valuesIn(variables: Readonly<Variables>): Record<string, string> {
  const trimmed = Object.entries(variables).map(([name, value = '']) => [name, value.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
}

/**
 * The process environment, supplemented by a `.env` file in the current folder (real variables win). Throws ConfigError
 * for a file that can't be read.
 */
export function processEnvironment(): Variables {
  const path = resolve('.env');
  const bytes = readDotEnv(path);
  const [real, written] = [valuesIn(process.env), valuesIn(bytes === undefined ? {} : parseDotEnv(bytes, path))];
  const overridden = Object.keys(written).filter((name) => name in real && real[name] !== written[name]);
  file = { path, isMissing: bytes === undefined, overridden };
  // discord.js parses these variables itself as JSON: an empty SHARDS, as passed on by `docker compose`, would end the
  // boot.
  delete process.env.SHARDS;
  delete process.env.SHARD_COUNT;
  return { ...written, ...real };
}

function readDotEnv(path: string): Buffer | undefined {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      throw new ConfigError(`${path} is a folder. Docker makes one for a missing file: delete it, and write the file.`);
    }
    // Reading a pipe would wait for its writer.
    if (stats.isFIFO() || stats.isSocket()) throw new ConfigError(`${path} isn't a file. Replace it by one.`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const reason = fileFault(error);
    if (reason === undefined) throw error;
    throw new ConfigError(`${path} can't be read: ${reason}. Let this user read it.`, { cause: error });
  }
}

/** A line for a missing `.env` file, after an attempt to read it. */
export const missingFileLine = (): string => (file?.isMissing === true ? `\nThere is no file ${file.path}.` : '');

/** One sentence for each variable with one value in the environment and another in `.env` (ENV-42). */
export const overriddenIn = (names: readonly string[]): string[] =>
  (file?.overridden ?? [])
    .filter((name) => names.includes(name))
    .map((name) => `${name}: the value of the environment counts, not the other one in ${file?.path}.`);
