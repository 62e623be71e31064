import { Signal } from '../../lib/signal.js';
import type { Member } from './member-model.js';

const lookUpChanged = new Signal<[guildId: string, gameUserIds: readonly string[]]>();

/**
 * Calls `listener` with the Roblox ids of changed look-ups in a guild, after the write of the change. A kill between the
 * two loses it. The listener must not throw.
 */
export const onLookUpChanged = lookUpChanged.on;

export function announceLookUp(guildId: string, ...gameUserIds: (string | null | undefined)[]): void {
  const known = gameUserIds.filter((id) => id !== null && id !== undefined);
  if (known.length > 0) lookUpChanged.emit(guildId, known);
}

/** Whether a sync that leaves these roles changes the mapped roles that the member's look-up shows. Pure. */
export function showsOtherRoles(
  stored: Partial<Pick<Member, 'left'>> | null | undefined,
  left: Member['left'],
): boolean {
  if (left === undefined) return false;
  const before = new Set(stored?.left?.roleIds);
  return left.roleIds.length !== before.size || left.roleIds.some((roleId) => !before.has(roleId));
}
