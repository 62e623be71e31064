import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What this copy of Rolelink was built of. */
export interface BuildVersion {
  /** Of `package.json`. */
  version: string;
  /** The commit in 12 digits, or `unknown`: `src/edges/cli/setup.cjs` writes it when it builds. */
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
