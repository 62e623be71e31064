import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { previewSync } from '../../src/features/sync/preview/preview-service.js';
import { previewRequest, previewView, viewPreview } from '../../src/features/sync/preview/preview-view.js';

export const PreviewSync = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/sync/preview',
  summary: 'Preview a resync, also with draft mappings and settings, without making changes',
  access: guildRole('viewer'),
  input: { body: previewRequest },
  answers: { 200: previewView },
  refusals: ['mapping_not_found', 'plan_limit_reached', ...gameRefusals],
  handle: async ({ guild, actor, body }) => {
    const { cursor, ...wish } = body;
    return ok(viewPreview(await previewSync(guild, actor, wish, cursor)));
  },
});
