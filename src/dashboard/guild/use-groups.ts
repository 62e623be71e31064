import { useQuery } from '@tanstack/react-query';
import { type Group, groupsQuery } from '../api/queries.js';
import { useGuild } from './guild-context.js';

/** The attached groups by their id; empty until they are read. */
export function useGroups(): ReadonlyMap<string, Group> {
  const { data = [] } = useQuery(groupsQuery(useGuild().guildId));
  return new Map(data.map((group) => [group.groupId, group]));
}
