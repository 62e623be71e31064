import { type Mapping, Mappings } from './mapping-model.js';

/** The Discord roles that the mappings of a guild name, by id, each with those mappings, enabled or not. */
export async function readMappedRoles(guildId: string): Promise<Map<string, Mapping[]>> {
  const mapped = new Map<string, Mapping[]>();
  for (const mapping of await Mappings.find({ guildId }, { sort: { _id: 1 } })) {
    for (const roleId of mapping.roleIds) mapped.set(roleId, [...(mapped.get(roleId) ?? []), mapping]);
  }
  return mapped;
}
