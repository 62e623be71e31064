import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';

/** How many members match the rules and how many differ from them, in an observing server. */
export const differenceCountsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'difference-counts'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/differences/counts', { params: { path: { guildId } } })),
  });
