import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import type { GameRole } from './game-groups.js';
import { type Patience, readRoblox } from './roblox-http.js';
import { robloxId } from './roblox-id.js';

const groupRolesOfUser = z.object({
  data: z.array(
    z.object({
      group: z.object({ id: robloxId }),
      role: z.object({ id: robloxId, name: z.string(), rank: z.int().min(0).max(255) }),
    }),
  ),
});

/**
 * A person's roles by group, from the public endpoint, which needs no key and has no pages; `null` for an unknown
 * person. Throws GamePlatformUnavailable. Locked groups are included: their members have not left. The endpoint
 * predates members with several roles and is documented to return one role per group; if it returns more, all are used.
 */
export async function readPublicMemberships(
  gameUserId: string,
  patience?: Patience,
): Promise<Map<string, GameRole[]> | null> {
  const answer = await readRoblox({
    host: 'groups',
    path: `/v2/users/${gameId.parse(gameUserId)}/groups/roles`,
    // Roblox marks all three as required.
    query: { includeLocked: true, includeNotificationPreferences: false, discoveryType: 0 },
    answer: groupRolesOfUser,
    absent: { status: 400, code: 3 },
    ...(patience && { patience }),
  });
  if (!answer) return null;
  const held = new Map<string, GameRole[]>();
  for (const { group, role } of answer.data) {
    const roles = held.get(group.id) ?? [];
    held.set(group.id, [...roles, { gameRoleId: role.id, name: role.name, rank: role.rank }]);
  }
  return held;
}
