import { useEffect, useState } from 'react';

/** The storage key, per tab, for a page's unsaved input. */
const keyOf = (pathname: string): string => `rolelink-draft:${pathname}`;

/**
 * The input in this page's form when the session ended, returned once; undefined if there was none. `version` is the
 * form data's: a draft with another version is outdated.
 */
export function useKeptDraft<T>(version: string): T | undefined {
  const [kept] = useState(() => {
    const text = sessionStorage.getItem(keyOf(location.pathname));
    if (text === null) return undefined;
    const { version: of, draft } = JSON.parse(text) as { version: string; draft: T };
    return of === version ? draft : undefined;
  });
  return kept;
}

/** Keeps unsaved input in this tab. Leaving the page discards it, except to sign in. */
export function useKeepDraft(version: string, draft: unknown, isUnsaved: boolean): void {
  const [key] = useState(() => keyOf(location.pathname));
  useEffect(() => {
    if (isUnsaved) sessionStorage.setItem(key, JSON.stringify({ version, draft }));
    else sessionStorage.removeItem(key);
  }, [key, version, draft, isUnsaved]);
  useEffect(
    () => () => {
      if (location.pathname !== '/sign-in') sessionStorage.removeItem(key);
    },
    [key],
  );
}
