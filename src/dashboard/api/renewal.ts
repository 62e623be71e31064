import { onlineManager, type QueryClient } from '@tanstack/react-query';
import { Refusal } from './answer-errors.js';

/** How soon pages ask again for data that others change, in ms: running work, its lists, and everything else. */
const paces = { work: 2_500, events: 5_000, figures: 30_000 } as const;
type Pace = keyof typeof paces;

const longestMs = 60_000;

interface QueryState {
  status: 'pending' | 'error' | 'success';
  error: Error | null;
  /** When the last answer came, and the last failure, in ms since 1970; 0 for never. */
  dataUpdatedAt: number;
  errorUpdatedAt: number;
}

/**
 * When a visible page asks again for data with this pace, in ms; false for never (DASH-12). Null is the pace when
 * nobody changes the data any more: it is asked for again only while it could not be read. After failures the page
 * waits as long as they have lasted already (DASH-70).
 */
export function renewalMs({ status, error, dataUpdatedAt, errorUpdatedAt }: QueryState, pace: Pace | null) {
  if (!onlineManager.isOnline()) return false;
  if (status !== 'error') return pace === null ? false : paces[pace];
  if (isFinal(error)) return false;
  const asked = error instanceof Refusal ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(longestMs, Math.max(paces[pace ?? 'figures'], errorUpdatedAt - dataUpdatedAt)));
}

/** A refusal that waiting does not change: the right or the thing is gone. */
const isFinal = (error: Error | null): boolean =>
  error instanceof Refusal && error.status < 500 && error.status !== 429;

/** The `refetchInterval` for data that always changes at this pace. */
export const renewed =
  (pace: Pace) =>
  ({ state }: { state: QueryState }): number | false =>
    renewalMs(state, pace);

/** Stops all renewal when the network is lost, and begins again when it returns. */
export function renewOnlyOnline(client: QueryClient): void {
  onlineManager.subscribe(() => {
    const observers = client
      .getQueryCache()
      .getAll()
      .flatMap(({ observers }) => observers);
    // An observer decides on its next request whenever it gets its options.
    for (const observer of observers) observer.setOptions(observer.options);
  });
}
