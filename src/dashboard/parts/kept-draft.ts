import { useEffect, useState } from 'react';

/** Where a tab keeps what was typed on a page. */
const keyOf = (pathname: string): string => `rolelink-draft:${pathname}`;

/**
 * What was typed into the form of this page when the session ended, once; undefined where nothing was. `version` is of
 * what the form was filled with: a draft of another is out of date.
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

/** Keeps what is typed in this tab while it is unsaved. Whoever leaves the page otherwise than to sign in leaves it too. */
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
