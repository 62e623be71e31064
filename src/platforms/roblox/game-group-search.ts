import { z } from 'zod';
import { readRoblox } from './roblox-http.js';
import { robloxId } from './roblox-id.js';

export interface FoundGroup {
  groupId: string;
  name: string;
  memberCount: number;
}

const foundGroups = z.object({
  data: z.array(z.object({ id: robloxId, name: z.string().min(1), memberCount: z.int().nonnegative() })),
});

/**
 * The groups that Roblox finds for a name; one with exactly this name comes first. Needs no key. Throws
 * GamePlatformUnavailable, and GamePlatformClosed if Roblox no longer offers the search.
 */
export async function searchGameGroups(name: string): Promise<FoundGroup[]> {
  const path = `/v1/groups/search/lookup?groupName=${encodeURIComponent(name)}`;
  // A limit that searches have used up must not hold the ranks that the same host tells (ROBLOX-24).
  const { data } = await readRoblox({ host: 'groups', endpoint: 'search', path, answer: foundGroups });
  return data.map(({ id, ...group }) => ({ groupId: id, ...group }));
}
