import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Waiting } from '../parts/waiting.js';

/** Leads to signing in, and from there back to this page. */
export function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    const { pathname, href } = router.state.location;
    // React's second effect in strict mode finds itself on the way already.
    if (pathname === '/sign-in') return;
    void router.navigate({ to: '/sign-in', search: { returnTo: href }, replace: true });
  }, [router]);
  return <Waiting />;
}
