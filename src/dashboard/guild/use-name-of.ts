import { useQuery } from '@tanstack/react-query';
import { channelsQuery, mappingsQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import type { NameOf } from './change-words.js';
import { useGuild, useReasonAgainst } from './guild-context.js';
import { useRoleName, useRoles } from './role-names.js';
import { useGroups } from './use-groups.js';

/** Names roles, groups, mappings and channels of the server by their id. */
export function useNameOf(): NameOf {
  const { list } = useWords();
  const { guildId, health } = useGuild();
  const [roles, groups, roleName] = [useRoles(), useGroups(), useRoleName()];
  const mayReadChannels = useReasonAgainst('admin') === undefined;
  const { data: channels = [] } = useQuery({ ...channelsQuery(guildId), enabled: mayReadChannels });
  const { data: mappings = [] } = useQuery(mappingsQuery(guildId));
  return (wanted) => {
    if (roles.has(wanted) || health.some(({ roleId }) => roleId === wanted)) return roleName(wanted);
    const mapping = mappings.find(({ mappingId }) => mappingId === wanted);
    if (mapping !== undefined) return mapping.name ?? list(mapping.roleIds.map(roleName));
    const channel = channels.find(({ channelId }) => channelId === wanted);
    return channel === undefined ? groups.get(wanted)?.name : `#${channel.name}`;
  };
}
