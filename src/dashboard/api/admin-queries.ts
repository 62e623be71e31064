import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Paths, Schemas } from '../../client/api-types.js';
import { answerOf, api } from './client.js';
import { renewed } from './renewal.js';

export type AdminGuild = Schemas['AdminGuild'];
export type PlatformMetrics = Schemas['PlatformMetrics'];
export type SetupReport = Schemas['SetupReport'];
export type AdminGuildFilter = Omit<
  NonNullable<Paths['/api/admin/guilds']['get']['parameters']['query']>,
  'limit' | 'cursor'
>;

/** The key for all platform data; every change to it invalidates this key. */
export const platformKey = ['platform'] as const;

/** The platform's numbers. */
export const platformMetricsQuery = queryOptions({
  queryKey: [...platformKey, 'metrics'],
  queryFn: () => answerOf(api.GET('/api/admin/metrics', {})),
  refetchInterval: renewed('figures'),
});

export const adminGuildsQuery = (filter: AdminGuildFilter) =>
  infiniteQueryOptions({
    queryKey: [...platformKey, 'guilds', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/admin/guilds', {
          params: { query: { ...filter, limit: 50, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: () => answerOf(api.GET('/api/admin/doctor', {})),
});
