import type { Condition, Mapping } from '../../api/queries.js';

/** The Roblox group that a condition names first; undefined without a group. */
function groupOf(condition: Condition): string | undefined {
  if (condition.type === 'all' || condition.type === 'any') {
    for (const part of condition.of) {
      const found = groupOf(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (condition.type === 'not') return groupOf(condition.of);
  return 'groupId' in condition ? condition.groupId : undefined;
}

/** Mappings by Roblox group, in order by first appearance; those without a group come last. */
export function byGroup(mappings: readonly Mapping[]): { groupId: string | undefined; mappings: Mapping[] }[] {
  const parts = new Map<string | undefined, Mapping[]>();
  for (const mapping of mappings) {
    const groupId = groupOf(mapping.condition);
    parts.set(groupId, [...(parts.get(groupId) ?? []), mapping]);
  }
  const all = [...parts].map(([groupId, some]) => ({ groupId, mappings: some }));
  return all.sort((a, b) => Number(a.groupId === undefined) - Number(b.groupId === undefined));
}

export const orders = ['made', 'name', 'people'] as const;
export type Order = (typeof orders)[number];

export function inOrder(mappings: readonly Mapping[], order: Order, nameOf: (mapping: Mapping) => string): Mapping[] {
  if (order === 'name') return mappings.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  if (order === 'people') return mappings.toSorted((a, b) => (b.people?.holding ?? -1) - (a.people?.holding ?? -1));
  return [...mappings];
}
