import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeToken } from '../../src/features/tokens/token-service.js';

export const RevokeToken = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/tokens/:tokenId',
  summary: 'Revoke a bot token: its next use is refused',
  access: guildRole('admin'),
  answers: { 204: null },
  refusals: ['busy'],
  handle: async ({ guild, actor, params }) => {
    await removeToken(guild, actor, params.tokenId);
    return noContent();
  },
});
