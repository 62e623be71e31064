import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findLeftOut } from '../../src/features/members/left-out.js';
import { timestamp } from '../../src/lib/fields.js';

export const ListLeftOut = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/members/left-out',
  summary: 'The members whom an admin leaves out of every change, also those who are away',
  access: guildRole('viewer'),
  answers: {
    200: z.strictObject({
      data: z.array(
        z.strictObject({
          memberId: z.string(),
          chatUsername: z.string(),
          gameUsername: z.string().nullable(),
          since: timestamp,
        }),
      ),
    }),
  },
  handle: async ({ guild }) => {
    const members = await findLeftOut(guild._id);
    return ok({
      data: members.map(({ chatUserId: memberId, chatUsername, gameUsername = null, leftOut }) => ({
        ...{ memberId, chatUsername, gameUsername },
        since: leftOut.toISOString(),
      })),
    });
  },
});
