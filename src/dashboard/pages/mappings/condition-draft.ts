import type { Condition } from '../../api/queries.js';

export type Kind = Condition['type'];

/** The maximum levels in a condition, and parts in one "all" or "any" (MAP-1). */
export const maxDepth = 4;
export const maxParts = 10;

/**
 * The kinds allowed at a depth (1: the whole condition), the commonest first: a whole group is used alone, and the last
 * level has no parts.
 */
export function kindsAt(depth: number): readonly Kind[] {
  const plain: Kind[] = [
    ...(['group_role', 'group_rank', 'group_member', 'verified', 'unverified'] as const),
    ...(['premium', 'account_age', 'owns_item'] as const),
  ];
  if (depth === 1) return [...plain, 'group_roles', 'all', 'any', 'not'];
  return depth < maxDepth ? [...plain, 'all', 'any', 'not'] : plain;
}

/** A new condition with this kind and `group`; it keeps the group and the first part from the one `before`. */
export function startOf(kind: Kind, before: Condition, group = ''): Condition {
  const groupId = 'groupId' in before ? before.groupId : group;
  switch (kind) {
    case 'verified':
    case 'unverified':
    case 'premium':
      return { type: kind };
    case 'account_age':
      return { type: kind, days: 30 };
    case 'owns_item':
      return { type: kind, kind: 'badge', id: '' };
    case 'group_member':
      return { type: kind, groupId };
    case 'group_rank':
      return { type: kind, groupId, min: 1, max: 255 };
    case 'group_role':
      return { type: kind, groupId, gameRoleId: '' };
    case 'group_roles':
      return { type: kind, groupId, match: 'name' };
    case 'not':
      return { type: kind, of: partOf(before) };
    case 'all':
    case 'any':
      return { type: kind, of: before.type === 'all' || before.type === 'any' ? before.of : [partOf(before)] };
  }
}

const partOf = (before: Condition): Condition => (before.type === 'group_roles' ? { type: 'verified' } : before);

export function isComplete(condition: Condition): boolean {
  switch (condition.type) {
    case 'all':
    case 'any':
      return condition.of.length > 0 && condition.of.every(isComplete);
    case 'not':
      return isComplete(condition.of);
    case 'owns_item':
      return /^[1-9]\d{0,18}$/.test(condition.id);
    case 'group_role':
      return condition.groupId !== '' && condition.gameRoleId !== '';
    default:
      return !('groupId' in condition) || condition.groupId !== '';
  }
}

export function depthOf(condition: Condition): number {
  if (condition.type === 'not') return 1 + depthOf(condition.of);
  if (condition.type === 'all' || condition.type === 'any') return 1 + Math.max(0, ...condition.of.map(depthOf));
  return 1;
}
