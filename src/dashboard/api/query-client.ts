import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { WordKey } from '../i18n/words.js';
import { Refusal } from './answer-errors.js';
import { renewOnlyOnline } from './renewal.js';
import { mayRetry, retryDelay } from './retries.js';

declare module '@tanstack/react-query' {
  interface Register {
    /** The message shown after a successful change. */
    mutationMeta: { toast?: WordKey };
    /** Asked ahead of the page: a refusal doesn't end a session that the page knows. */
    queryMeta: { isAhead?: boolean };
  }
}

/**
 * Creates the cache for API answers. Calls `onSignedOut` when the session has ended, and `onDone` with a successful
 * change's message.
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
      // A person's tabs share 120 requests a minute, so data may be half a minute old.
      queries: { staleTime: 30_000, retry: mayRetry, retryDelay, networkMode: 'always', refetchOnReconnect: true },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  renewOnlyOnline(client);
  return client;
}
