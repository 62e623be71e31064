import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Once `isThere`, what the address names behind `#` gets the focus, and comes into view. */
export function useFocusByAddress(isThere: boolean): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (!isThere || hash === '') return;
    const named = document.getElementById(hash);
    named?.focus();
    named?.scrollIntoView({ block: 'center' });
  }, [isThere, hash]);
}
