import { z } from 'zod';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { groupIdsOf } from './condition.js';
import type { Mapping } from './mapping-model.js';
import { mappingStatus, mappingStatusName } from './mapping-status.js';
import type { MappingsSnapshot } from './mappings-snapshot.js';
import { rolesGiven } from './whole-group.js';

/** The filters of GET …/mappings. */
export const mappingFilter = {
  q: z.string().min(1).max(100).optional().describe('A part of its name, or of a role’s or group’s, in any case.'),
  roleId: snowflake.optional().describe('Those that give this role.'),
  groupId: gameId.optional().describe('Those that go by this Roblox group.'),
  status: mappingStatusName.optional(),
  enabled: z.enum(['true', 'false']).optional(),
};
export type MappingFilter = z.output<z.ZodObject<typeof mappingFilter>>;

/**
 * A page of a guild's mappings by id, and so by age with a resolution of one second. Throws InvalidRequest for a bad
 * cursor.
 */
export function pageOfMappings(
  snapshot: MappingsSnapshot,
  { limit, cursor, ...filter }: PageQuery & MappingFilter,
): Page<Mapping> {
  const after = placeOfMapping(cursor);
  const matches = matcherOf(filter, snapshot);
  const behind = snapshot.mappings.filter((mapping) => mapping._id > after && matches(mapping));
  return pageOf(behind.slice(0, limit + 1), limit, (mapping) => mapping._id);
}

// Built once: building a schema takes longer than using it.
const place = z.string();

/** The id in a cursor; without a cursor, a value before all ids. Throws InvalidRequest. */
export const placeOfMapping = (cursor: string | undefined): string => decodeCursor(place, cursor) ?? '';

function matcherOf({ q, roleId, groupId, status, enabled }: MappingFilter, snapshot: MappingsSnapshot) {
  const { facts, groups } = snapshot;
  const wanted = q?.toLowerCase();
  return (mapping: Mapping): boolean =>
    (wanted === undefined || namesOf(mapping, snapshot).some((name) => name.toLowerCase().includes(wanted))) &&
    (roleId === undefined || rolesGiven(mapping, snapshot).includes(roleId)) &&
    (groupId === undefined || groupIdsOf(mapping.condition).includes(groupId)) &&
    (enabled === undefined || mapping.enabled === (enabled === 'true')) &&
    (status === undefined || mappingStatus(mapping, facts, groups) === status);
}

/** All names by which a search finds a mapping. */
function namesOf(mapping: Mapping, snapshot: MappingsSnapshot): string[] {
  const { facts, groups } = snapshot;
  const roles = rolesGiven(mapping, snapshot).flatMap((roleId) => facts.roles.get(roleId)?.name ?? []);
  const named = groupIdsOf(mapping.condition).flatMap((id) => groups.find(({ groupId }) => groupId === id)?.name ?? []);
  return [...(mapping.name === null ? [] : [mapping.name]), ...roles, ...named];
}
