import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { unlinkMember } from '../../src/features/members/member-unlinks.js';
import { gameId } from '../../src/lib/ids.js';

export const UnlinkMember = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/members/:memberId/link',
  summary: 'Unlink a member in this guild; they are only linked again by a new proof made here, or an undo',
  access: guildRole('admin'),
  lane: 'single',
  input: {
    query: z.strictObject({
      gameUserId: gameId.optional().describe('Only from this Roblox account, or else from none.'),
    }),
  },
  answers: { 204: null },
  refusals: ['member_not_found'],
  handle: async ({ guild, actor, params, query }) => {
    await unlinkMember(guild, params.memberId, actor, query.gameUserId);
    return noContent();
  },
});
