import type { HeldRoles } from '../../platforms/roblox/held-roles.js';

// A person's ranks are stored as texts: `<groupId>:<gameRoleId>` for each role, `<groupId>:-` outside a group.

/** Marks a group that the person is not in. */
const outside = '-';

export const outsideOf = (groupId: string): string => `${groupId}:${outside}`;
export const roleIn = (groupId: string, gameRoleId: string): string => `${groupId}:${gameRoleId}`;
export const groupOf = (held: string): string => held.slice(0, held.indexOf(':'));

/** A group and the role in it; null outside the group. */
export function rankFrom(held: string): { groupId: string; gameRoleId: string | null } {
  const groupId = groupOf(held);
  return { groupId, gameRoleId: held === outsideOf(groupId) ? null : held.slice(groupId.length + 1) };
}

/** Selects documents with an entry about a group, from the index. */
export const aboutGroup = (groupId: string) => ({ $gte: `${groupId}:`, $lt: `${groupId};` });

/** Whether the person was in any group at all. */
export const isAnywhere = (held: readonly string[]): boolean => held.some((text) => !text.endsWith(`:${outside}`));

/** The texts to store for a reading of these groups. */
export function heldFrom(ranks: HeldRoles, groupIds: readonly string[]): string[] {
  const texts = groupIds.flatMap((groupId) => {
    const roles = [...(ranks.get(groupId) ?? [])].map((role) => (typeof role === 'string' ? role : role.gameRoleId));
    return roles.length === 0 ? outsideOf(groupId) : roles.map((id) => roleIn(groupId, id));
  });
  return texts.sort();
}

/** The text for one group; undefined if unknown. */
export function heldIn(groupId: string, held: readonly string[]): string | undefined {
  const texts = held.filter((text) => groupOf(text) === groupId);
  return texts.length === 0 ? undefined : texts.sort().join(' ');
}

/** The groups in which two readings differ. A group that is missing in either is no difference. Pure. */
export function changedGroups(before: readonly string[], now: readonly string[]): string[] {
  const [former, present] = [byGroup(before), byGroup(now)];
  return [...present].flatMap(([groupId, roles]) => {
    const known = former.get(groupId);
    return known === undefined || known === roles ? [] : groupId;
  });
}

function byGroup(held: readonly string[]): Map<string, string> {
  const groups = new Map<string, string>();
  for (const text of [...held].sort()) groups.set(groupOf(text), `${groups.get(groupOf(text)) ?? ''} ${text}`);
  return groups;
}
