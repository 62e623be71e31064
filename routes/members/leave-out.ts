import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { leaveOut, leaveOutResults } from '../../src/features/members/left-out.js';
import { snowflake } from '../../src/lib/ids.js';

export const LeaveOut = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/left-out',
  summary: 'Leave up to 100 members out of every change, or let them take part again',
  access: guildRole('admin'),
  lane: 'single',
  input: {
    body: z
      .strictObject({
        memberIds: z.array(snowflake).min(1).max(100),
        leftOut: z.boolean().describe('True: nothing of theirs is changed on Discord; false: they take part again.'),
      })
      .meta({ id: 'MembersToLeaveOut' }),
  },
  answers: {
    200: z.strictObject({
      data: z
        .array(
          z.strictObject({
            memberId: z.string(),
            done: z.boolean(),
            reason: z
              .enum(leaveOutResults)
              .exclude(['done'])
              .nullable()
              .describe('`no_member`: unknown here. `full`: the server leaves out as many people as it may, 500.'),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  handle: async ({ guild, actor, body }) => {
    const results = await leaveOut(guild, body, actor);
    return ok({
      data: body.memberIds.map((memberId, n) => {
        const result = results[n] ?? 'no_member';
        return { memberId, done: result === 'done', reason: result === 'done' ? null : result };
      }),
    });
  },
});
