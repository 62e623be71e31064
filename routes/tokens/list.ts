import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listTokens } from '../../src/features/tokens/token-service.js';
import { tokenView, viewToken } from '../../src/features/tokens/token-view.js';

export const ListTokens = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/tokens',
  summary: 'The bot tokens of a guild that are not revoked, oldest first',
  access: guildRole('admin'),
  input: { query: listQuery },
  answers: { 200: listOf(tokenView) },
  handle: async ({ guild, query }) => okPage(await listTokens(guild._id, query), viewToken),
});
