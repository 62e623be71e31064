import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { useGuild } from './guild-context.js';

const mostFound = 6;

/** Some members found by a part in their names or by their id; none for fewer than two letters. */
export function useFoundMembers(wanted: string): { memberId: string; name: string }[] {
  const { guildId } = useGuild();
  const { data } = useQuery({
    queryKey: [...guildKey(guildId), 'found-members', wanted],
    enabled: wanted.length > 1,
    placeholderData: keepPreviousData,
    queryFn: () =>
      answerOf(
        api.GET('/api/guilds/{guildId}/members', {
          params: { path: { guildId }, query: { q: wanted, limit: mostFound } },
        }),
      ),
  });
  if (wanted.length <= 1) return [];
  return (data?.data ?? []).map(({ memberId, chatUsername, gameUsername }) => {
    return { memberId, name: gameUsername === null ? chatUsername : `${chatUsername} · ${gameUsername}` };
  });
}
