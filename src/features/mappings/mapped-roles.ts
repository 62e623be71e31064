import { listAllMappings, type Mapping } from './mapping-service.js';

/** The Discord roles that the mappings of a guild name, by id, each with those mappings, enabled or not. */
export async function readMappedRoles(guildId: string): Promise<Map<string, Mapping[]>> {
  const mapped = new Map<string, Mapping[]>();
  for (const mapping of await listAllMappings(guildId)) {
    for (const roleId of mapping.roleIds) mapped.set(roleId, [...(mapped.get(roleId) ?? []), mapping]);
  }
  return mapped;
}
