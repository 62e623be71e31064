import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

const LeaveDialog = lazy(async () => ({ default: (await import('./leave-dialog.js')).LeaveDialog }));

/** Asks before a page with unsaved changes is left, and has the browser ask before its tab is closed. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    // Another filter on the same page loses nothing, and input is kept while the person signs in again.
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && current.pathname !== next.pathname && next.pathname !== '/sign-in',
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Suspense>
      <LeaveDialog onStay={reset} onLeave={proceed} />
    </Suspense>
  );
}
