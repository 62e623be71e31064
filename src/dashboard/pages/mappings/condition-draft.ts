import type { Condition } from '../../api/queries.js';

export type Kind = Condition['type'];

/** The maximum levels in a condition, and parts in one "all" or "any" (MAP-1). */
export const maxDepth = 4;
export const maxParts = 10;

type Of<K extends Kind> = Extract<Condition, { type: K }>;

/** How the editor offers one kind of condition. */
interface Offer<K extends Kind> {
  /** Whether this kind may stand at a depth. 1 is the whole condition. */
  fits: (depth: number) => boolean;
  /** A new condition with this group. It keeps the parts of the one `before`. */
  start: (groupId: string, before: Condition) => Of<K>;
  isComplete: (condition: Of<K>) => boolean;
}

const anywhere = () => true;
const alone = (depth: number) => depth === 1;
const aboveTheLast = (depth: number) => depth < maxDepth;

const partOf = (before: Condition): Condition => (before.type === 'group_roles' ? { type: 'verified' } : before);
const partsOf = (before: Condition) => (before.type === 'all' || before.type === 'any' ? before.of : [partOf(before)]);
const hasGroup = ({ groupId }: { groupId: string }) => groupId !== '';
const hasParts = ({ of }: { of: Condition[] }) => of.length > 0 && of.every(isComplete);

/** All kinds in the order of the select, the commonest first. */
const offers: { [K in Kind]: Offer<K> } = {
  group_role: {
    fits: anywhere,
    start: (groupId) => ({ type: 'group_role', groupId, gameRoleId: '' }),
    isComplete: (condition) => hasGroup(condition) && condition.gameRoleId !== '',
  },
  group_rank: {
    fits: anywhere,
    start: (groupId) => ({ type: 'group_rank', groupId, min: 1, max: 255 }),
    isComplete: hasGroup,
  },
  group_member: { fits: anywhere, start: (groupId) => ({ type: 'group_member', groupId }), isComplete: hasGroup },
  verified: { fits: anywhere, start: () => ({ type: 'verified' }), isComplete: () => true },
  unverified: { fits: anywhere, start: () => ({ type: 'unverified' }), isComplete: () => true },
  premium: { fits: anywhere, start: () => ({ type: 'premium' }), isComplete: () => true },
  account_age: { fits: anywhere, start: () => ({ type: 'account_age', days: 30 }), isComplete: () => true },
  owns_item: {
    fits: anywhere,
    start: () => ({ type: 'owns_item', kind: 'badge', id: '' }),
    isComplete: ({ id }) => /^[1-9]\d{0,18}$/.test(id),
  },
  fact: { fits: anywhere, start: () => ({ type: 'fact', key: '', atLeast: 1 }), isComplete: isFactComplete },
  group_roles: {
    fits: alone,
    start: (groupId) => ({ type: 'group_roles', groupId, match: 'name' }),
    isComplete: hasGroup,
  },
  all: { fits: aboveTheLast, start: (_, before) => ({ type: 'all', of: partsOf(before) }), isComplete: hasParts },
  any: { fits: aboveTheLast, start: (_, before) => ({ type: 'any', of: partsOf(before) }), isComplete: hasParts },
  not: {
    fits: aboveTheLast,
    start: (_, before) => ({ type: 'not', of: partOf(before) }),
    isComplete: ({ of }) => isComplete(of),
  },
};

const kinds = Object.keys(offers) as Kind[];

/** The kinds that may stand at a depth. A whole group is used alone, and the last level has no parts. */
export const kindsAt = (depth: number): Kind[] => kinds.filter((kind) => offers[kind].fits(depth));

/** A new condition with this kind and `group`; it keeps the group and the first part from the one `before`. */
export function startOf(kind: Kind, before: Condition, group = ''): Condition {
  return offers[kind].start('groupId' in before ? before.groupId : group, before);
}

export function isComplete<K extends Kind>(condition: Of<K>): boolean {
  const { isComplete: isWhole }: Offer<K> = offers[condition.type as K];
  return isWhole(condition);
}

export const factKey = /^[a-z0-9_]{1,32}$/;

/** A draft that was kept has null for a number that isn't one. */
export const isFactNumber = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

function isFactComplete({ key, is, atLeast, atMost }: Extract<Condition, { type: 'fact' }>): boolean {
  if (!factKey.test(key)) return false;
  if (is !== undefined) return String(is).trim() !== '';
  if ([atLeast, atMost].some((bound) => bound !== undefined && !isFactNumber(bound))) return false;
  return (atLeast !== undefined || atMost !== undefined) && (atLeast ?? -Infinity) <= (atMost ?? Infinity);
}

export function depthOf(condition: Condition): number {
  if (condition.type === 'not') return 1 + depthOf(condition.of);
  if (condition.type === 'all' || condition.type === 'any') return 1 + Math.max(0, ...condition.of.map(depthOf));
  return 1;
}
