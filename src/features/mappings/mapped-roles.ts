import { findGroups } from '../../core/groups/linked-groups.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { expanded, mapsWholeGroup } from './whole-group.js';

/** The Discord roles that the mappings of a guild give, by id, each with those mappings, enabled or not. */
export async function readMappedRoles(facts: GuildFacts): Promise<Map<string, Mapping[]>> {
  const mapped = new Map<string, Mapping[]>();
  const { guildId } = facts;
  const mappings = await Mappings.find({ guildId }, { sort: { _id: 1 } });
  const groups = mapsWholeGroup(mappings) ? await findGroups(guildId) : [];
  for (const mapping of expanded(mappings, { facts, groups })) {
    for (const roleId of mapping.roleIds) {
      const others = mapped.get(roleId)?.filter(({ _id }) => _id !== mapping._id) ?? [];
      mapped.set(roleId, [...others, mapping]);
    }
  }
  return mapped;
}
