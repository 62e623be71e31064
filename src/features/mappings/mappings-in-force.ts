import { z } from 'zod';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { type Condition, groupIdsOf } from './condition.js';

/**
 * The reason for a paused mapping: the plan allows fewer mappings, or fewer groups, counted up to the one that it
 * names.
 */
export const pauseReason = z.enum(['mappings_over_plan', 'groups_over_plan']);
export type PauseReason = z.output<typeof pauseReason>;

/** A guild's mappings, split by the plan's limits. Paused ones neither give nor take roles. */
export interface MappingsByPlan<Mapping> {
  inForce: Mapping[];
  paused: { mapping: Mapping; reason: PauseReason }[];
}

interface Conditional {
  condition: Condition;
}

/**
 * Splits enabled mappings by the plan's limits (PLAN-5): a downgrade keeps all stored mappings, and the oldest stay in
 * force. A mapping that names a group beyond the plan's limit is paused, and uses no place. Pure; `mappings` and the
 * attached groups' ids come oldest first.
 */
export function partByPlan<Mapping extends Conditional>(
  plan: PlanName,
  mappings: readonly Mapping[],
  attachedGroupIds: readonly string[],
): MappingsByPlan<Mapping> {
  const limits = plans[plan];
  const groupsOver = new Set(attachedGroupIds.slice(limits.groups));
  const parted: MappingsByPlan<Mapping> = { inForce: [], paused: [] };
  for (const mapping of mappings) {
    if (groupIdsOf(mapping.condition).some((groupId) => groupsOver.has(groupId))) {
      parted.paused.push({ mapping, reason: 'groups_over_plan' });
    } else if (parted.inForce.length < limits.mappings) {
      parted.inForce.push(mapping);
    } else {
      parted.paused.push({ mapping, reason: 'mappings_over_plan' });
    }
  }
  return parted;
}
