import type { GameGroup } from './game-group.js';
import type { GroupPermission } from './game-role.js';
import type { RobloxState } from './roblox-state.js';
import { cloudError } from './wire-errors.js';

/** Open Cloud works by the key's scopes, and by its account's rights in the group. */
export function requireRights(
  { key }: RobloxState,
  group: GameGroup,
  scope: string,
  permission: GroupPermission,
): void {
  if (!key.scopes.includes(scope)) throw cloudError(403, 'The request requires higher privileges than provided.');
  if (!group.permissionsOf(key.accountId).includes(permission)) {
    throw cloudError(403, 'Insufficient permissions to complete the request.');
  }
}

/** The user behind an id in a path: the resource's, or the user's own. */
export function userIdIn(text: string | undefined): string {
  return /^\d+$/.test(text ?? '') ? (text ?? '') : Buffer.from(text ?? '', 'base64url').toString();
}
