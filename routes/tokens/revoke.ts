import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { removeToken } from '../../src/features/tokens/token-service.js';
import { noContent } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ tokenId: z.string() }) };

export class RevokeToken extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/tokens/:tokenId',
      summary: 'Revoke a bot token and those that it has made: their next use is refused',
      access: guildRole('admin'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await removeToken(guild, actor, params.tokenId);
    return noContent();
  }
}
