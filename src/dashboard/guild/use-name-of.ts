import { useQuery } from '@tanstack/react-query';
import { channelsQuery, mappingsQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import type { NameOf } from './change-words.js';
import { useGuild, useReasonAgainst } from './guild-context.js';
import { useRoleName, useRoles } from './role-names.js';
import { useGroups } from './use-groups.js';

/**
 * Names the server's roles and mappings by their id; a mapping without a name by its roles. Mappings that have not been
 * read are read only if `asks`.
 */
export function useRoleOrMappingName(asks = true): NameOf {
  const { list } = useWords();
  const { guildId, health } = useGuild();
  const [roles, roleName] = [useRoles(), useRoleName()];
  const { data: mappings = [] } = useQuery({ ...mappingsQuery(guildId), enabled: asks });
  return (wanted) => {
    if (roles.has(wanted) || health.some(({ roleId }) => roleId === wanted)) return roleName(wanted);
    const mapping = mappings.find(({ mappingId }) => mappingId === wanted);
    return mapping === undefined ? undefined : (mapping.name ?? list(mapping.roleIds.map(roleName)));
  };
}

/** Names groups and channels too. */
export function useNameOf(): NameOf {
  const { guildId } = useGuild();
  const [groups, nearer] = [useGroups(), useRoleOrMappingName()];
  const mayReadChannels = useReasonAgainst('admin') === undefined;
  const { data: channels = [] } = useQuery({ ...channelsQuery(guildId), enabled: mayReadChannels });
  return (wanted) => {
    const channel = channels.find(({ channelId }) => channelId === wanted);
    return nearer(wanted) ?? (channel === undefined ? groups.get(wanted)?.name : `#${channel.name}`);
  };
}
