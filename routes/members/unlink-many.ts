import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { unlinkMembers } from '../../src/features/members/member-unlinks.js';
import { gameId, snowflake } from '../../src/lib/ids.js';

export const UnlinkMembers = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/unlink',
  summary: 'Unlink up to 100 members in this guild; they are only linked again by a new proof made here, or an undo',
  access: guildRole('admin'),
  lane: 'single',
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
            unlinked: z.boolean(),
            reason: z
              .enum(['not_linked', 'above'])
              .nullable()
              .describe(
                "`not_linked`: not linked here, or to another account. `above`: spared, with a role not below the caller's.",
              ),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  handle: async ({ guild, actor, body: { members } }) => {
    const results = await unlinkMembers(guild, members, actor);
    return ok({
      data: members.map(({ memberId }, n) => {
        const result = results[n] ?? 'not_linked';
        return { memberId, unlinked: result === 'unlinked', reason: result === 'unlinked' ? null : result };
      }),
    });
  },
});
