import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listResyncs } from '../../src/features/sync/resync/resync-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';

export const ListResyncs = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/resyncs',
  summary: 'The resyncs of a guild, newest first; finished ones are kept for 30 days',
  access: guildRole('viewer'),
  input: { query: listQuery },
  answers: { 200: listOf(resyncView) },
  handle: async ({ guild, query }) => okPage(await listResyncs(guild._id, query), (job) => viewResync(job)),
});
