import type { GameGroup } from './game-group.js';
import type { RobloxState } from './roblox-state.js';
import { cloudError, legacyError } from './wire-errors.js';

/** The group in a groups.roblox.com path, or that host's own 400 when it does not exist. */
export function requireLegacyGroup(state: RobloxState, groupId: string | undefined): GameGroup {
  const group = state.groups.find(groupId ?? '');
  if (!group) throw legacyError(400, 1, 'Group is invalid or does not exist.');
  return group;
}

/** The group in an Open Cloud path, or a 404 in its form when it does not exist. */
export function requireCloudGroup(state: RobloxState, groupId: string | undefined): GameGroup {
  const group = state.groups.find(groupId ?? '');
  if (!group) throw cloudError(404, 'The group could not be found.');
  return group;
}
