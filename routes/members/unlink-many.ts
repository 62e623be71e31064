import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { unlinkMembers } from '../../src/features/members/member-service.js';
import { gameId, snowflake } from '../../src/lib/ids.js';

export const UnlinkMembers = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/unlink',
  summary: 'Unlink up to 100 members in this guild; they are only linked again by a new proof made here',
  access: guildRole('admin'),
  input: {
    body: z
      .strictObject({
        members: z
          .array(
            z.strictObject({
              memberId: snowflake,
              gameUserId: gameId.optional().describe('Only from this Roblox account, or else from none.'),
            }),
          )
          .min(1)
          .max(100),
      })
      .meta({ id: 'MembersToUnlink' }),
  },
  answers: {
    200: z.strictObject({
      data: z
        .array(
          z.strictObject({
            memberId: z.string(),
            unlinked: z.boolean().describe('False: they were not linked here, or to another account.'),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  handle: async ({ guild, actor, body: { members } }) => {
    const ended = await unlinkMembers(guild, members, actor);
    return ok({ data: members.map(({ memberId }, index) => ({ memberId, unlinked: ended[index] === true })) });
  },
});
