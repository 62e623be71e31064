import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';

/** Set while a person is signed in, as far as this browser knows. */
const storageKey = 'rolelink-signed-in';

export function rememberSignedIn(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem(storageKey, '1');
  else localStorage.removeItem(storageKey);
}

/**
 * Requests a page's data together with the session and the page's own script. Requests nothing without a sign-in. If a
 * request is refused, the page repeats it and shows the refusal.
 */
export function askAhead<Key extends QueryKey>(
  queryClient: QueryClient,
  // biome-ignore lint/suspicious/noExplicitAny: queries of every kind of data
  ...queries: readonly FetchQueryOptions<any, any, any, Key>[]
): void {
  if (localStorage.getItem(storageKey) === null) return;
  for (const query of queries) {
    if (queryClient.getQueryState(query.queryKey) !== undefined) continue;
    void queryClient.prefetchQuery({ ...query, meta: { isAhead: true } });
  }
}

/** A server page's `loader`, which asks ahead for the server's data. */
export const askedAhead =
  // biome-ignore lint/suspicious/noExplicitAny: queries of every kind of data
    (...queries: readonly ((guildId: string) => FetchQueryOptions<any, any, any, any>)[]) =>
    ({ context, params }: { context: { queryClient: QueryClient }; params: { guildId: string } }): void =>
      askAhead(context.queryClient, ...queries.map((query) => query(params.guildId)));
