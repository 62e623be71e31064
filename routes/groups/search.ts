import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { searchGroups } from '../../src/platforms/roblox/group-checks.js';

const groupFound = z
  .strictObject({ groupId: z.string(), name: z.string(), memberCount: z.int().nonnegative() })
  .meta({ id: 'GroupFound' });

export const SearchGroups = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/search',
  summary: 'The groups that Roblox finds for a name, attached or not; one with exactly this name comes first',
  access: guildRole('manager'),
  rateLimit: 'group_search',
  input: { query: z.strictObject({ q: z.string().trim().min(1).max(100) }) },
  answers: { 200: z.strictObject({ data: z.array(groupFound) }) },
  refusals: gameRefusals,
  handle: async ({ guild, query }) => ok({ data: await searchGroups(guild._id, query.q) }),
});
