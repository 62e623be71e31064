import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The source of this Rolelink build. */
export interface BuildVersion {
  /** The version in `package.json`. */
  version: string;
  /** The commit's first 12 digits, or `unknown`; written by `src/edges/cli/setup.cjs` during the build. */
  commit: string;
}

let read: BuildVersion | undefined;

export function buildVersion(): BuildVersion {
  read ??= {
    version: z.object({ version: z.string() }).parse(jsonOf('../../../package.json')).version,
    commit: z.object({ commit: z.string() }).parse(jsonOf('../../build.json')).commit,
  };
  return read;
}

const jsonOf = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
