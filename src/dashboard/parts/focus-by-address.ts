import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Once `isThere`, focuses the element named after `#` in the address, and scrolls to it. */
export function useFocusByAddress(isThere: boolean): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (!isThere || hash === '') return;
    const named = document.getElementById(hash);
    named?.focus();
    named?.scrollIntoView({ block: 'center' });
  }, [isThere, hash]);
}
