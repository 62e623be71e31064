import { useQueryClient } from '@tanstack/react-query';
import { meQuery } from '../../api/queries.js';

export const accountsKey = ['own-accounts'];
export const consentsKey = ['consents'];

/** Asks again for everything that an account decides, so that the parts of the page agree. */
export function useRenewal(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [accountsKey, meQuery.queryKey, consentsKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
}
