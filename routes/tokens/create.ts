import { z } from 'zod';
import { teamRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { longestLifeDays } from '../../src/features/tokens/bot-tokens.js';
import { createToken } from '../../src/features/tokens/token-service.js';
import { newTokenView, viewToken } from '../../src/features/tokens/token-view.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = {
  params: guildParams,
  body: z.strictObject({
    name: z.string().trim().min(1).max(100).describe('What the token is for.'),
    role: teamRole.describe('At most your own.'),
    expiresInDays: z.int().min(1).max(longestLifeDays).default(longestLifeDays),
  }),
};

export class CreateToken extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/tokens',
      summary: 'Make a bot token of the guild; the token itself is shown in this answer only',
      access: guildRole('admin'),
      input,
      answers: { 201: newTokenView },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    const { token, text } = await createToken(guild, actor, body);
    return created({ ...viewToken(token), token: text });
  }
}
