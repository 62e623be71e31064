import { findGroups } from '../../../core/groups/linked-groups.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';

export interface DifferenceNames {
  roleName(this: void, roleId: string): string;
  groupName(this: void, groupId: string): string;
}

/** Names for a guild's roles and groups. Throws ChatPlatformUnavailable. */
export async function readDifferenceNames(guildId: string): Promise<DifferenceNames> {
  const [{ roles }, groups] = await Promise.all([readGuildFacts(guildId), findGroups(guildId)]);
  const groupNames = new Map(groups.map(({ groupId, name }) => [groupId, name]));
  return {
    roleName: (roleId) => roles.get(roleId)?.name ?? roleId,
    groupName: (groupId) => groupNames.get(groupId) ?? groupId,
  };
}
