import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listTeam } from '../../src/features/team/team-list.js';
import { teammateView, viewTeammate } from '../../src/features/team/teammate-view.js';

export const ListTeam = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/team',
  summary:
    'The owner, invited people, and members with Manage Server (above 1,000 members: only those who have signed in here)',
  access: guildRole('admin'),
  input: { query: listQuery },
  answers: { 200: listOf(teammateView) },
  handle: async ({ guild, query }) => okPage(await listTeam(guild, query), viewTeammate),
});
