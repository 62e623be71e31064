import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { allProblemCodes } from '../../src/edges/http/problem.js';
import { doorOf, rankRefusals, ranksBody, wishOf } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { changeRanks } from '../../src/features/ranking/rank-service.js';
import { rankChangeView, viewRankChange } from '../../src/features/ranking/rank-view.js';
import { refusalWords } from '../../src/lib/translate-refusal.js';

export const ChangeRanks = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups/:groupId/ranks/many',
  summary: 'Change the ranks of up to ten people in a Roblox group, each by itself',
  access: guildRole('viewer', { byRanker: true }),
  lane: 'single',
  input: { body: ranksBody },
  repeatable: true,
  answers: {
    200: z.strictObject({
      data: z
        .array(
          z.strictObject({
            change: rankChangeView.nullable(),
            refusal: z
              .strictObject({ code: z.enum(allProblemCodes), detail: z.string() })
              .nullable()
              .describe('Why this change was not made; null if it was.'),
          }),
        )
        .describe('In the requested order.'),
    }),
  },
  refusals: [...rankRefusals, 'demotions_unconfirmed'],
  handle: async ({ guild, actor, params: { groupId }, body: { changes, reason, demotions } }) => {
    const wishes = changes.map((wish) => wishOf(wish, { groupId, door: doorOf(actor), reason }));
    const parts = await changeRanks(guild, actor, wishes, demotions);
    return ok({
      data: parts.map((part) =>
        'result' in part
          ? { change: viewRankChange(part.result.change), refusal: null }
          : { change: null, refusal: { code: part.refusal.code, detail: refusalWords(part.refusal) } },
      ),
    });
  },
});
