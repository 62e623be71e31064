import { z } from 'zod';
import { teamRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { longestLifeDays } from '../../src/features/tokens/bot-tokens.js';
import { createToken } from '../../src/features/tokens/token-service.js';
import { newTokenView, viewToken } from '../../src/features/tokens/token-view.js';
import { lineOfText } from '../../src/lib/fields.js';

export const CreateToken = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/tokens',
  summary: 'Make a bot token of the guild, as a person; the token itself is shown in this answer only',
  access: guildRole('admin'),
  input: {
    body: z.strictObject({
      name: lineOfText(100).describe('What the token is for.'),
      role: teamRole.describe('At most your own.'),
      expiresInDays: z.int().min(1).max(longestLifeDays).default(longestLifeDays),
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
