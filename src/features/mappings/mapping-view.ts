import { z } from 'zod';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups } from '../../core/groups/linked-groups.js';
import { shownFields } from '../../lib/shown-fields.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type Mapping, mappingFields } from './mapping-model.js';
import { enabledMappings } from './mapping-service.js';
import { mappingStatus, mappingStatusName, roleWarnings } from './mapping-status.js';
import { type PauseReason, partByPlanOf, pauseReason } from './mappings-in-force.js';

const shown = shownFields(mappingFields.omit({ guildId: true }), 'mappingId');

/** A mapping in answers (SPEC §4). `warnings` are its roles that carry dangerous permissions (SPEC §2). */
export const mappingView = shown.view
  .extend({
    status: mappingStatusName,
    paused: pauseReason.optional().describe('The plan does not allow it: it neither gives nor takes roles.'),
    warnings: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
  })
  .meta({ id: 'Mapping' });

type MappingView = z.input<typeof mappingView>;

/** Mappings of one guild as answers show them, with their status of now. Throws ChatPlatformUnavailable. */
export async function viewMappings(guildId: string, mappings: readonly Mapping[]): Promise<MappingView[]> {
  const surroundings = await readSurroundings(guildId);
  return mappings.map((mapping) => viewAsOf(mapping, surroundings));
}

/** One mapping as answers show it, with its status of now. Throws ChatPlatformUnavailable. */
export async function viewMapping(mapping: Mapping): Promise<MappingView> {
  return viewAsOf(mapping, await readSurroundings(mapping.guildId));
}

/** What a guild's mappings stand among: Discord's roles, the groups, and why those that the plan pauses are paused. */
interface Surroundings {
  facts: GuildFacts;
  groups: readonly LinkedGroup[];
  paused: ReadonlyMap<string, PauseReason>;
}

async function readSurroundings(guildId: string): Promise<Surroundings> {
  const [facts, groups, paused] = await Promise.all([
    readGuildFacts(guildId),
    findGroups(guildId),
    readPauses(guildId),
  ]);
  return { facts, groups, paused };
}

async function readPauses(guildId: string): Promise<ReadonlyMap<string, PauseReason>> {
  const { paused } = await partByPlanOf(guildId, await enabledMappings(guildId));
  return new Map(paused.map(({ mapping, reason }) => [mapping._id, reason]));
}

function viewAsOf(mapping: Mapping, { facts, groups, paused }: Surroundings): MappingView {
  const pause = paused.get(mapping._id);
  return {
    ...shown.show(mapping),
    status: mappingStatus(mapping, facts, groups),
    ...(pause !== undefined && { paused: pause }),
    warnings: roleWarnings(mapping.roleIds, facts),
  };
}
