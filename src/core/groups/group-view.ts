import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { LinkedGroup } from './group-model.js';

/**
 * A group in answers (SPEC §4) with its roles by rank. It is a copy, at most five minutes old unless Roblox fails;
 * `refreshedAt` says how old. `gone`: Roblox no longer knows the group.
 */
export const groupView = z
  .strictObject({
    groupId: z.string(),
    name: z.string(),
    memberCount: z.int(),
    roles: z.array(z.strictObject({ gameRoleId: z.string(), name: z.string(), rank: z.int().min(0).max(255) })),
    gone: z.boolean(),
    addedAt: timestamp,
    refreshedAt: timestamp,
  })
  .meta({ id: 'Group' });

export function viewGroup(group: LinkedGroup): z.input<typeof groupView> {
  const { groupId, name, memberCount, roles, gone, addedAt, refreshedAt } = group;
  return {
    groupId,
    name,
    memberCount,
    roles,
    gone,
    addedAt: addedAt.toISOString(),
    refreshedAt: refreshedAt.toISOString(),
  };
}
