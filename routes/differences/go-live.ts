import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { planOfPreview } from '../../src/features/sync/preview/preview-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';
import { goLive } from '../../src/features/sync/resync/switch-service.js';

export const GoLive = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/differences/go-live',
  summary: 'Apply a preview exactly, and enforce from then on instead of observing',
  access: guildRole('admin'),
  input: { body: z.strictObject({ previewId: z.string().min(1).max(100) }) },
  repeatable: true,
  answers: { 202: resyncView },
  refusals: [
    'not_observing',
    'role_unmanageable',
    'preview_expired',
    'preview_of_drafts',
    'preview_unfinished',
    'preview_applied',
    'resync_running',
  ],
  handle: async ({ guild, actor, body: { previewId }, spend }) => {
    const readPlan = () => planOfPreview(guild, previewId);
    const job = await goLive(guild, actor, readPlan, () => spend('guild_resync'));
    return accepted(viewResync(job), `/api/guilds/${guild._id}/resync/${job._id}`);
  },
});
