import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { overviewView, readOverview } from '../../src/features/guild-views/guild-overview.js';

export const ReadOverview = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/overview',
  summary: 'Figures of a guild: members, verifications, syncs, and the last 30 days',
  access: guildRole('viewer'),
  answers: { 200: overviewView },
  handle: async ({ guild }) => ok(await readOverview(guild)),
});
