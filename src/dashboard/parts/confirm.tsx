import { lazy, Suspense } from 'react';
import type { ConfirmProps } from './confirm-dialog.js';

// Dialogs come when the first is opened: a page that is only looked at does without their 13 kB.
const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.js')).ConfirmDialog }));

/** Asks before something is done; its refusal stands in the dialog. */
export function Confirm<T>({ open, ...rest }: ConfirmProps<T> & { open: boolean }) {
  if (!open) return null;
  return (
    <Suspense>
      <ConfirmDialog {...(rest as ConfirmProps<unknown>)} />
    </Suspense>
  );
}
