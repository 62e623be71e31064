import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { countMembers } from '../../src/features/members/member-counts.js';
import { memberFilters } from '../../src/features/members/member-filters.js';
import { memberCounts } from '../../src/features/members/member-view.js';
import { gameId } from '../../src/lib/ids.js';

export const CountMembers = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/members/counts',
  summary: 'The number of members with each status, of all or of those that match',
  access: guildRole('viewer'),
  input: {
    query: z.strictObject({ gameUserId: gameId.optional(), ...memberFilters }),
  },
  answers: {
    200: z.strictObject({
      counts: memberCounts
        .nullable()
        .describe('Null: more than 1,000 match. With `roleId`, `state=in_step` or `unsynced` alone it is never null.'),
    }),
  },
  handle: async ({ guild, query }) => ok({ counts: await countMembers(guild._id, query) }),
});
