import { z } from 'zod';
import { tokenRanking } from '../../src/core/actors/token-ranking.js';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { longestLifeDays } from '../../src/features/tokens/bot-tokens.js';
import { tokenRole } from '../../src/features/tokens/token-model.js';
import { createToken } from '../../src/features/tokens/token-service.js';
import { newTokenView, viewToken } from '../../src/features/tokens/token-view.js';
import { lineOfText } from '../../src/lib/fields.js';

export const CreateToken = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/tokens',
  summary: 'Make a bot token of the guild, as a person; the token itself is shown in this answer only',
  access: guildRole('admin'),
  input: {
    body: z
      .strictObject({
        name: lineOfText(100).describe('The purpose of the token.'),
        role: tokenRole.describe(
          'At most your own. `game` looks people up, hands in codes that people typed in a Roblox game and reports facts from it, `verifier` only hands in codes, and `ranker` changes ranks in Roblox groups; none may do anything else.',
        ),
        ranking: tokenRanking.optional().describe('The limits of a `ranker`, which needs them.'),
        expiresInDays: z.int().min(1).max(longestLifeDays).default(longestLifeDays),
      })
      .refine(({ role, ranking }) => (role === 'ranker') === (ranking !== undefined), {
        path: ['ranking'],
        error: 'must be there for the role ranker, and for no other',
      }),
  },
  repeatable: true,
  answers: { 201: newTokenView },
  refusals: ['too_many_tokens', 'busy'],
  handle: async ({ guild, actor, body }) => {
    const { token, text } = await createToken(guild, actor, body);
    return created({ ...viewToken(token), token: text }, `/api/guilds/${guild._id}/tokens/${token._id}`);
  },
});
