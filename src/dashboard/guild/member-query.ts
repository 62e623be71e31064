import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';

/** One person in a server, with ranks, roles and the last syncs. */
export const memberQuery = (guildId: string, memberId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'member', memberId],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/members/{memberId}', { params: { path: { guildId, memberId } } })),
  });
