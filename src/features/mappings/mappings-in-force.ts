import { z } from 'zod';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { type Condition, groupIdsOf } from './condition.js';

/** Why a mapping is paused: the plan allows fewer mappings, or fewer groups than the one that it names comes after. */
export const pauseReason = z.enum(['mappings_over_plan', 'groups_over_plan']);
export type PauseReason = z.output<typeof pauseReason>;

/** The mappings of a guild, parted by what its plan allows. Paused ones neither give roles nor take them. */
export interface MappingsByPlan<Mapping> {
  inForce: Mapping[];
  paused: { mapping: Mapping; reason: PauseReason }[];
}

/** A mapping, stored or drafted. */
interface Conditional {
  condition: Condition;
}

/**
 * Parts enabled mappings by what a plan allows (PLAN-5): a downgrade keeps everything that is stored, and the
 * oldest stay in force. A mapping that names a group beyond the plan's limit is paused, and takes no place of another.
 * Pure; `mappings` and the ids of the attached groups come oldest first.
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
