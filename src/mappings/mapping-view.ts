import { z } from 'zod';
import { type GuildFacts, readGuildFacts } from '../discord/guild-facts.js';
import type { LinkedGroup } from '../groups/group-model.js';
import { findGroups } from '../groups/linked-groups.js';
import { timestamp } from '../http/fields.js';
import { conditionTree } from './condition.js';
import type { Mapping } from './mapping-model.js';
import { mappingStatus, mappingStatusName, roleWarnings } from './mapping-status.js';

/** A mapping in answers (SPEC §4). `warnings` are its roles that carry dangerous permissions (SPEC §2). */
export const mappingView = z
  .strictObject({
    mappingId: z.string(),
    name: z.string().nullable(),
    condition: conditionTree,
    roleIds: z.array(z.string()),
    removeWhenUnmatched: z.boolean(),
    enabled: z.boolean(),
    status: mappingStatusName,
    warnings: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Mapping' });

type MappingView = z.input<typeof mappingView>;

/** Mappings of one guild as answers show them, with their status of now. Throws ChatPlatformUnavailable. */
export async function viewMappings(guildId: string, mappings: readonly Mapping[]): Promise<MappingView[]> {
  const [facts, groups] = await Promise.all([readGuildFacts(guildId), findGroups(guildId)]);
  return mappings.map((mapping) => viewAsOf(mapping, facts, groups));
}

/** One mapping as answers show it, with its status of now. Throws ChatPlatformUnavailable. */
export async function viewMapping(mapping: Mapping): Promise<MappingView> {
  const [facts, groups] = await Promise.all([readGuildFacts(mapping.guildId), findGroups(mapping.guildId)]);
  return viewAsOf(mapping, facts, groups);
}

function viewAsOf(mapping: Mapping, facts: GuildFacts, groups: readonly LinkedGroup[]): MappingView {
  const { _id: mappingId, name, condition, roleIds, removeWhenUnmatched, enabled, createdAt, updatedAt } = mapping;
  return {
    mappingId,
    name,
    condition,
    roleIds,
    removeWhenUnmatched,
    enabled,
    status: mappingStatus(mapping, facts, groups),
    warnings: roleWarnings(roleIds, facts),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
