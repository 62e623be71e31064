import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { WordKey } from '../i18n/words.js';
import { Refusal, Unreachable } from './answer-errors.js';
import { renewOnlyOnline } from './renewal.js';

const maxTries = 2;
const maxWaitMs = 10_000;

/** Retries only where that helps: without an answer, and while the service or a platform is briefly unavailable. */
function mayRetry(failures: number, error: unknown): boolean {
  return failures < maxTries && (error instanceof Unreachable || (error instanceof Refusal && error.status === 503));
}

function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  return Math.min(maxWaitMs, asked === undefined ? 1_000 * 2 ** failures : asked * 1_000);
}

declare module '@tanstack/react-query' {
  interface Register {
    /** The message shown after a successful change. */
    mutationMeta: { toast?: WordKey };
    /** Asked ahead of the page: a refusal is no end of a session that the page knows. */
    queryMeta: { isAhead?: boolean };
  }
}

/**
 * Creates the cache of API answers. Calls `onSignedOut` when the session has ended, and `onDone` with the message of a
 * successful change.
 */
export function createQueryClient(onSignedOut: () => void, onDone: (toast: WordKey) => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof Refusal && error.status === 401) onSignedOut();
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { meta }) => meta?.isAhead === true || onError(error) }),
    mutationCache: new MutationCache({
      onError,
      onSuccess(_data, _variables, _context, { meta }) {
        if (meta?.toast !== undefined) onDone(meta.toast);
      },
    }),
    defaultOptions: {
      // All tabs of a person share 120 requests a minute, so data may be half a minute old.
      queries: { staleTime: 30_000, retry: mayRetry, retryDelay, networkMode: 'always', refetchOnReconnect: true },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  renewOnlyOnline(client);
  return client;
}
