import { useSyncExternalStore } from 'react';

const wide = matchMedia('(width >= 62em)');

function watch(changed: () => void): () => void {
  wide.addEventListener('change', changed);
  return () => wide.removeEventListener('change', changed);
}

/** Whether a list and the chosen thing have room side by side; the style sheets name the same width. */
export const useWide = (): boolean => useSyncExternalStore(watch, () => wide.matches);
