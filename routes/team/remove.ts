import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeTeammate } from '../../src/features/team/team-changes.js';

export const RemoveTeammate = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/team/:memberId',
  summary:
    'Remove a teammate and their bot tokens: an admin can remove others, only the owner an admin; anyone can leave',
  access: guildRole('viewer'),
  answers: { 204: null },
  refusals: ['teammate_not_found', 'discord_owner', 'role_from_discord', 'busy'],
  handle: async ({ guild, actor, params }) => {
    await removeTeammate(guild, actor, params.memberId);
    return noContent();
  },
});
