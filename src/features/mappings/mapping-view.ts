import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { type Mapping, mappingFields } from './mapping-model.js';
import { mappingStatus, mappingStatusName, roleWarnings } from './mapping-status.js';
import { type PauseReason, pauseReason } from './mappings-in-force.js';
import { type MappingsPicture, partPicture } from './mappings-picture.js';

const shown = shownFields(mappingFields.omit({ guildId: true, confirmedDangers: true }), 'mappingId');

/** A mapping in answers (SPEC §4). `warnings` are its roles that carry dangerous permissions (SPEC §2). */
export const mappingView = shown.view
  .extend({
    status: mappingStatusName,
    paused: pauseReason.optional().describe('The plan does not allow it: it neither gives nor takes roles.'),
    warnings: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
  })
  .meta({ id: 'Mapping' });

export type MappingView = z.input<typeof mappingView>;

/** Mappings of one guild as answers show them, with their status of now. */
export function viewMappings(mappings: readonly Mapping[], picture: MappingsPicture): MappingView[] {
  const paused = new Map(partPicture(picture).paused.map(({ mapping, reason }) => [mapping._id, reason]));
  return mappings.map((mapping) => viewOne(mapping, picture, paused.get(mapping._id)));
}

/** One mapping as answers show it, with its status of now. */
export function viewMapping(mapping: Mapping, picture: MappingsPicture): MappingView {
  const pause = partPicture(picture).paused.find((paused) => paused.mapping._id === mapping._id);
  return viewOne(mapping, picture, pause?.reason);
}

function viewOne(mapping: Mapping, { facts, groups }: MappingsPicture, pause: PauseReason | undefined): MappingView {
  return {
    ...shown.show(mapping),
    status: mappingStatus(mapping, facts, groups),
    ...(pause !== undefined && { paused: pause }),
    warnings: roleWarnings(mapping.roleIds, facts),
  };
}
