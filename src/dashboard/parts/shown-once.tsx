import { lazy, Suspense } from 'react';
import type { ShownOnceProps } from './shown-once-dialog.js';

const ShownOnceDialog = lazy(async () => ({ default: (await import('./shown-once-dialog.js')).ShownOnceDialog }));

/** A secret that is shown only once: the dialog closes when the person confirms that they have it. */
export const ShownOnce = (props: ShownOnceProps) => (
  <Suspense>
    <ShownOnceDialog {...props} />
  </Suspense>
);
