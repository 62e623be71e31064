import { z } from 'zod';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { searchText } from '../../lib/search-text.js';
import { groupIdsOf } from './condition.js';
import type { Mapping } from './mapping-model.js';
import { mappingStatus, mappingStatusName } from './mapping-status.js';
import { type Aged, byAge, type MappingsSnapshot } from './mappings-snapshot.js';
import { rolesGiven } from './whole-group.js';

export const mappingFilter = {
  q: z.string().min(1).max(100).optional().describe("A part of its name, or of a role's or group's, in any case."),
  roleId: snowflake.optional().describe('Those that give this role.'),
  groupId: gameId.optional().describe('Those that go by this Roblox group.'),
  status: mappingStatusName.optional(),
  enabled: z.enum(['true', 'false']).optional(),
};
export type MappingFilter = z.output<z.ZodObject<typeof mappingFilter>>;

/** A page with a guild's mappings, oldest first. Throws InvalidRequest for a bad cursor. */
export function pageOfMappings(
  snapshot: MappingsSnapshot,
  { limit, cursor, ...filter }: PageQuery & MappingFilter,
): Page<Mapping> {
  const after = placeOfCursor(cursor);
  const matches = matcherOf(filter, snapshot);
  const isBehind = (mapping: Mapping) => after === undefined || byAge(mapping, after) > 0;
  const behind = snapshot.mappings.filter((mapping) => isBehind(mapping) && matches(mapping)).sort(byAge);
  return pageOf(behind.slice(0, limit + 1), limit, placeOfMapping);
}

// Built once: building a schema takes longer than using it.
const place = z.tuple([z.int(), z.string()]);

/** The cursor content behind a mapping: short, since a button carries it. */
export const placeOfMapping = ({ createdAt, _id }: Aged): z.output<typeof place> => [createdAt.getTime(), _id];

/** The place that a cursor identifies; undefined without a cursor. Throws InvalidRequest. */
export function placeOfCursor(cursor: string | undefined): Aged | undefined {
  const found = decodeCursor(place, cursor);
  return found && { createdAt: new Date(found[0]), _id: found[1] };
}

function matcherOf({ q, roleId, groupId, status, enabled }: MappingFilter, snapshot: MappingsSnapshot) {
  const { facts, groups } = snapshot;
  const wanted = q === undefined ? undefined : searchText(q);
  return (mapping: Mapping): boolean =>
    (wanted === undefined || namesOf(mapping, snapshot).some((name) => searchText(name).includes(wanted))) &&
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
