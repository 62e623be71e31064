import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Paths, Schemas } from '../../client/api-types.js';
import { answerOf, api, wholeList } from './client.js';
import { guildKey } from './queries.js';

export type Teammate = Schemas['Teammate'];
export type Token = Schemas['Token'];
export type AuditEntry = Schemas['AuditEntry'];
export type LogFilter = Omit<
  NonNullable<Paths['/api/guilds/{guildId}/logs']['get']['parameters']['query']>,
  'limit' | 'cursor'
>;

const whole = (cursor: string | undefined) => ({ limit: 100, ...(cursor !== undefined && { cursor }) });

export const teamQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'team'],
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(api.GET('/api/guilds/{guildId}/team', { params: { path: { guildId }, query: whole(cursor) } })),
      ),
  });

export const tokensQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'tokens'],
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(api.GET('/api/guilds/{guildId}/tokens', { params: { path: { guildId }, query: whole(cursor) } })),
      ),
  });

/** The names of people and Discord roles, by id. Unknown ones are missing. */
export const namesQuery = (guildId: string, ids: readonly string[]) => {
  const wanted = [...new Set(ids)].filter((id) => /^\d{17,20}$/.test(id)).slice(0, 100);
  return queryOptions({
    queryKey: [...guildKey(guildId), 'names', wanted],
    async queryFn(): Promise<Readonly<Record<string, string>>> {
      if (wanted.length === 0) return {};
      const query = { ids: wanted.join() };
      return (await answerOf(api.GET('/api/guilds/{guildId}/names', { params: { path: { guildId }, query } }))).names;
    },
  });
};

export const logQuery = (guildId: string, filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: [...guildKey(guildId), 'log', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/guilds/{guildId}/logs', {
          params: {
            path: { guildId },
            query: { ...filter, limit: 50, ...(pageParam !== '' && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const billingQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'billing'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/billing', { params: { path: { guildId } } })),
  });

/** This installation's features; they change only with a restart. */
export const infoQuery = queryOptions({
  queryKey: ['info'],
  queryFn: () => answerOf(api.GET('/api/info', {})),
  staleTime: Number.POSITIVE_INFINITY,
});
