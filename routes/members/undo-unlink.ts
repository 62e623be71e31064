import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { undoResults, undoUnlinks } from '../../src/features/accounts/unlink-undo.js';
import { snowflake } from '../../src/lib/ids.js';

export const UndoUnlink = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/undo-unlink',
  summary: 'Link up to 100 members as before an admin unlinked them here, within a day',
  access: guildRole('admin'),
  lane: 'single',
  input: {
    body: z.strictObject({ memberIds: z.array(snowflake).min(1).max(100) }).meta({ id: 'MembersToLinkAgain' }),
  },
  answers: {
    200: z.strictObject({
      data: z
        .array(
          z.strictObject({
            memberId: z.string(),
            linked: z.boolean(),
            reason: z
              .enum(undoResults)
              .exclude(['linked'])
              .nullable()
              .describe(
                "`acted`: the person has since changed their account or answered. `above`: a role of theirs is not below the caller's.",
              ),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  handle: async ({ guild, actor, body: { memberIds } }) => {
    const results = await undoUnlinks(guild, memberIds, actor);
    return ok({
      data: memberIds.map((memberId, n) => {
        const result = results[n] ?? 'not_unlinked';
        return { memberId, linked: result === 'linked', reason: result === 'linked' ? null : result };
      }),
    });
  },
});
