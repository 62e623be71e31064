import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { countDifferences } from '../../src/features/sync/plan/difference-list.js';
import { differenceCounts } from '../../src/features/sync/plan/difference-view.js';

export const CountDifferences = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/differences/counts',
  summary: 'How many members a sync would change, by role and by reason',
  access: guildRole('viewer'),
  answers: { 200: differenceCounts },
  handle: async ({ guild }) => ok(await countDifferences(guild._id)),
});
