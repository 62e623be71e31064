import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { blockReason, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { asksLowerRoles, highestRoleOnly } from './condition.js';
import { type Mapping, mappingFields } from './mapping-model.js';
import { rolesAboveBot } from './mapping-rules.js';
import { heldRoleIds, mappingStatus, mappingStatusName, roleWarnings } from './mapping-status.js';
import { type PauseReason, pauseReason } from './mappings-in-force.js';
import { type MappingsSnapshot, partSnapshot } from './mappings-snapshot.js';
import { mapsWholeGroup, rankProblems, ranksOf, rolesGiven } from './whole-group.js';

const shown = shownFields(
  mappingFields.omit({ guildId: true, confirmedDangers: true, ceilingRoleId: true, pairs: true }),
  'mappingId',
);

const mappedRank = z.strictObject({
  ...gameRole.shape,
  roleIds: z.array(z.string()).describe('The role that the rank gives, or all roles of its name.'),
  problem: z
    .enum([...rankProblems, ...blockReason.options])
    .nullable()
    .describe('Why it gives no role.'),
  otherMappings: z.array(z.string()).describe('The ids of other mappings that give the same role.'),
});
export type MappedRank = z.input<typeof mappedRank>;

/** A mapping in answers (MAP-15). `warnings` are its roles that carry dangerous permissions (AUTH-39). */
export const mappingView = shown.view
  .extend({
    status: mappingStatusName,
    paused: pauseReason.optional().describe('The plan does not allow it: it neither gives nor takes roles.'),
    ranks: z.array(mappedRank).optional().describe('Of the condition `group_roles`: its ranks and their roles.'),
    highestRoleOnly: highestRoleOnly.exactOptional(),
    rolesAbove: z
      .array(z.string())
      .exactOptional()
      .describe('Its roles above the bot, if any: an observing server goes live once they are below.'),
    warnings: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
  })
  .meta({ id: 'Mapping' });

export type MappingView = z.input<typeof mappingView>;

/** One guild's mappings as answers show them, with their present status. */
export function viewMappings(mappings: readonly Mapping[], snapshot: MappingsSnapshot): MappingView[] {
  const paused = new Map(partSnapshot(snapshot).paused.map(({ mapping, reason }) => [mapping._id, reason]));
  return mappings.map((mapping) => viewOne(mapping, snapshot, paused.get(mapping._id)));
}

/** One mapping as answers show it, with its present status. */
export function viewMapping(mapping: Mapping, snapshot: MappingsSnapshot): MappingView {
  const pause = partSnapshot(snapshot).paused.find((paused) => paused.mapping._id === mapping._id);
  return viewOne(mapping, snapshot, pause?.reason);
}

function viewOne(mapping: Mapping, snapshot: MappingsSnapshot, pause: PauseReason | undefined): MappingView {
  const { facts, groups } = snapshot;
  const rolesAbove = rolesAboveBot(facts, mapping.roleIds);
  return {
    ...shown.show(mapping),
    status: mappingStatus(mapping, facts, groups),
    ...(pause !== undefined && { paused: pause }),
    ...(mapsWholeGroup([mapping]) && { ranks: viewRanks(mapping, snapshot) }),
    ...(!hasOpenCloud() && asksLowerRoles(mapping.condition) && { highestRoleOnly: true as const }),
    ...(rolesAbove.length > 0 && { rolesAbove }),
    warnings: roleWarnings(rolesGiven(mapping, snapshot), facts),
  };
}

function viewRanks(mapping: Mapping, snapshot: MappingsSnapshot): MappedRank[] {
  const { facts, mappings } = snapshot;
  const others = mappings.filter(({ _id }) => _id !== mapping._id);
  return ranksOf(mapping, snapshot).map(({ rank, roleIds, problem }) => {
    const [roleId = ''] = roleIds;
    const held = heldRoleIds({ ...mapping, roleIds }, facts).length > 0 ? ('became_dangerous' as const) : null;
    const sharing = others.filter((other) => rolesGiven(other, snapshot).includes(roleId));
    return {
      ...rank,
      roleIds,
      problem: problem ?? roleObstacle(facts, roleId) ?? held,
      otherMappings: sharing.map(({ _id }) => _id),
    };
  });
}
