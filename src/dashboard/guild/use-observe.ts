import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey, settingsQuery } from '../api/queries.js';
import { useGuild } from './guild-context.js';

/** Lets the server observe from now on. */
export function useObserve() {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { value, etag } = await queryClient.fetchQuery({ ...settingsQuery(guildId), staleTime: 0 });
      const params = { path: { guildId }, header: { 'if-match': etag } };
      return answerOf(api.PUT('/api/guilds/{guildId}/settings', { params, body: { ...value, mode: 'observe' } }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
}
