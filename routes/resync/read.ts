import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readResync } from '../../src/features/sync/resync/resync-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';

export const ReadResync = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/resync/:jobId',
  summary: 'The progress of a resync',
  access: guildRole('viewer'),
  answers: { 200: resyncView },
  handle: async ({ guild, params }) => ok(viewResync(await readResync(guild, params.jobId))),
});
