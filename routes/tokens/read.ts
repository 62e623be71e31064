import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { getToken } from '../../src/features/tokens/token-service.js';
import { tokenView, viewToken } from '../../src/features/tokens/token-view.js';

export const ReadToken = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/tokens/:tokenId',
  summary: 'One bot token of a guild, without the token itself',
  access: guildRole('admin'),
  answers: { 200: tokenView },
  handle: async ({ guild, params }) => ok(viewToken(await getToken(guild._id, params.tokenId))),
});
