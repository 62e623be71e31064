import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { allProblemCodes } from '../../src/edges/http/problem.js';
import { answerRefusals, answersBody, doorOf } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { answerJoinRequests } from '../../src/features/ranking/join-request-answers.js';
import { refusalWords } from '../../src/lib/translate-refusal.js';

export const AnswerJoinRequests = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups/:groupId/join-requests',
  summary: 'Accept or decline up to ten requests to join a Roblox group, each by itself',
  access: guildRole('viewer'),
  lane: 'single',
  input: { body: answersBody },
  repeatable: true,
  answers: {
    200: z.strictObject({
      results: z
        .array(
          z.strictObject({
            gameUserId: z.string(),
            result: z
              .enum(['accepted', 'declined', 'gone', 'refused', 'unknown'])
              .describe(
                '`gone`: there is no such request any more. `unknown`: Roblox gave no answer, and a later look tells.',
              ),
            problem: z
              .strictObject({ code: z.enum(allProblemCodes), detail: z.string() })
              .nullable()
              .describe('Why it was refused; null if it was not.'),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  refusals: answerRefusals,
  handle: async ({ guild, actor, params: { groupId }, body }) => {
    const results = await answerJoinRequests(guild, actor, { ...body, groupId, door: doorOf(actor) });
    return ok({
      results: results.map(({ gameUserId, ...one }) => ({
        ...{ gameUserId, result: one.result },
        problem: one.result === 'refused' ? { code: one.refusal.code, detail: refusalWords(one.refusal) } : null,
      })),
    });
  },
});
