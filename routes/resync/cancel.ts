import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { cancelResync } from '../../src/features/sync/resync/resync-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';

export const CancelResync = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/resync/:jobId',
  summary: 'Cancel a resync; changes already made stay',
  access: guildRole('manager'),
  answers: { 200: resyncView },
  refusals: ['resync_finished'],
  handle: async ({ guild, actor, params }) => ok(viewResync(await cancelResync(guild, actor, params.jobId))),
});
