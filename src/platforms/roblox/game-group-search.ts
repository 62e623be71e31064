import { z } from 'zod';
import { readRoblox } from './roblox-http.js';
import { robloxId } from './roblox-id.js';

/** A group as a search by name finds it. */
export interface FoundGroup {
  groupId: string;
  name: string;
  memberCount: number;
}

const foundGroups = z.object({
  data: z.array(z.object({ id: robloxId, name: z.string().min(1), memberCount: z.int().nonnegative() })),
});

/**
 * The groups that Roblox finds by a name, one that is called exactly so first. Needs no key. Throws
 * GamePlatformUnavailable, and GamePlatformClosed when Roblox looks none up any more.
 */
export async function searchGameGroups(name: string): Promise<FoundGroup[]> {
  const path = `/v1/groups/search/lookup?groupName=${encodeURIComponent(name)}`;
  const { data } = await readRoblox({ host: 'groups', path, answer: foundGroups });
  return data.map(({ id, ...group }) => ({ groupId: id, ...group }));
}
