import type { LinkedGroup } from '../../core/groups/group-service.js';
import type { HealthIssue } from '../../core/guilds/health-issue.js';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { groupIdsOf } from '../mappings/condition.js';
import type { Mapping } from '../mappings/mapping-service.js';
import type { MappingsByPlan } from '../mappings/mappings-in-force.js';

/** What a guild has beyond its plan, after a downgrade: it is kept, does not work, and what to do about it. Pure. */
export function planIssues(
  plan: PlanName,
  { paused }: MappingsByPlan<Mapping>,
  groups: readonly LinkedGroup[],
): HealthIssue[] {
  const { mappings, groups: groupLimit } = plans[plan];
  const surplus = paused.filter(({ reason }) => reason === 'mappings_over_plan').length;
  const byGroup = paused.filter(({ reason }) => reason === 'groups_over_plan').map(({ mapping }) => mapping);
  const issues: HealthIssue[] = [];
  if (byGroup.length > 0) {
    const named = new Set(byGroup.flatMap(({ condition }) => groupIdsOf(condition)));
    const names = groups.filter(({ groupId }) => named.has(groupId)).map(({ name }) => name);
    const detail = `The plan ${plan} allows ${groupLimit} groups. Mappings that name newer ones neither give nor take roles (${byGroup.length}, with ${names.join(', ')}): remove older groups, or upgrade.`;
    issues.push({ code: 'groups_over_plan', detail });
  }
  if (surplus > 0) {
    const detail = `The plan ${plan} allows ${mappings} mappings. The newest ${surplus} beyond that neither give nor take roles: remove or switch off others, or upgrade.`;
    issues.push({ code: 'mappings_over_plan', detail });
  }
  return issues;
}
