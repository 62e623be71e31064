import type { Settings } from '../../api/queries.js';

/** A setting's value by its path: `nickname.template`. */
export function settingAt(settings: Settings, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), settings);
}

export function differences(a: Settings, b: Settings): string[] {
  return pathsOf(a).filter((path) => JSON.stringify(settingAt(a, path)) !== JSON.stringify(settingAt(b, path)));
}

/** `theirs`, but with the values of `mine` at these paths. */
export function merged(theirs: Settings, mine: Settings, paths: readonly string[]): Settings {
  const result = structuredClone(theirs);
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const place = keys.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), result);
    if (isRecord(place)) place[last] = settingAt(mine, path);
  }
  return result;
}

/** Every setting's path: a list is one value. */
function pathsOf(value: unknown, prefix = ''): string[] {
  if (!isRecord(value)) return [prefix];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, prefix === '' ? key : `${prefix}.${key}`));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
