import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeGroup } from '../../src/features/mappings/group-removal.js';
import { wholeNumber } from '../../src/lib/fields.js';

export const RemoveGroup = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/groups/:groupId',
  summary: 'Detach a Roblox group; with cascade=true also remove the mappings that name it',
  access: guildRole('manager'),
  input: {
    query: z.strictObject({
      cascade: z.enum(['true', 'false']).default('false'),
      mappings: wholeNumber(0, 10_000, 'must be a number of mappings')
        .optional()
        .describe('With cascade: how many mappings go, or else nothing goes.'),
    }),
  },
  answers: { 204: null },
  refusals: ['group_in_use', 'busy'],
  handle: async ({ guild, actor, params, query }) => {
    await removeGroup(guild, actor, params.groupId, { cascade: query.cascade === 'true', mappings: query.mappings });
    return noContent();
  },
});
