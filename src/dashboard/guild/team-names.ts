import { useQuery } from '@tanstack/react-query';
import { namesQuery, teamQuery } from '../api/team-queries.js';
import { useGuild } from './guild-context.js';

/** People's names by id: from the server, else from its team. For admins. */
export function useTeamNames(ids: readonly string[]): Readonly<Record<string, string>> {
  const { guildId } = useGuild();
  const { data: found = {} } = useQuery(namesQuery(guildId, ids));
  const { data: team = [] } = useQuery(teamQuery(guildId));
  const own = team.flatMap(({ memberId, username }) => (username === null ? [] : [[memberId, username] as const]));
  return { ...Object.fromEntries(own), ...found };
}
