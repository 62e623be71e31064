import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';

let replaced: Record<string, string> = {};

/** Takes which modules, by their URL, are read from which files instead. */
export function initialize(files: Record<string, string>): void {
  replaced = files;
}

export const load: LoadHook = async (url, context, next) => {
  const path = replaced[url];
  if (path === undefined) return next(url, context);
  return { format: 'module', shortCircuit: true, source: await readFile(path, 'utf8') };
};
