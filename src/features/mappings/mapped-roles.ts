import { plans } from '../../core/plans/plans.js';
import { listMappings, type Mapping } from './mapping-service.js';

/** No plan allows more, so that one page holds them all. */
const mostMappings = Math.max(...Object.values(plans).map(({ mappings }) => mappings));

/** The Discord roles that the mappings of a guild name, by id, each with those mappings, enabled or not. */
export async function readMappedRoles(guildId: string): Promise<Map<string, Mapping[]>> {
  const { data } = await listMappings(guildId, { limit: mostMappings });
  const mapped = new Map<string, Mapping[]>();
  for (const mapping of data) {
    for (const roleId of mapping.roleIds) mapped.set(roleId, [...(mapped.get(roleId) ?? []), mapping]);
  }
  return mapped;
}
