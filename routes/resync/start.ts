import type { Guild } from '../../src/core/guilds/guild-service.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Answer, accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { planOfPreview } from '../../src/features/sync/preview/preview-service.js';
import { confirmResync, startResync } from '../../src/features/sync/resync/resync-service.js';
import { resyncBody, resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';
import { Conflict } from '../../src/lib/errors.js';

const acceptedAt = ({ _id }: Guild, job: StoredPlan): Answer =>
  accepted(viewResync(job), `/api/guilds/${_id}/resync/${job._id}`);

export const StartResync = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/resync',
  summary: 'Resync all members, or some; an unfinished full resync is the answer instead of a new one',
  access: guildRole('manager'),
  input: { body: resyncBody },
  repeatable: true,
  answers: { 202: resyncView },
  refusals: [
    'resync_not_found',
    'nothing_to_confirm',
    'preview_expired',
    'preview_of_drafts',
    'preview_unfinished',
    'preview_applied',
    'resync_running',
  ],
  handle: async ({ guild, actor, body: { memberIds, previewId, confirm, losing }, spend }) => {
    if (confirm !== undefined) return acceptedAt(guild, await confirmResync(guild, actor, confirm, { losing }));
    const wish = previewId === undefined ? { memberIds } : { preview: await planOfPreview(guild, previewId) };
    const { job, isNew } = await startResync(guild, actor, wish, () => spend('guild_resync'));
    if (previewId !== undefined && !isNew) {
      throw new Conflict('resync_running', `Another resync is in progress (${job._id}); the preview wasn't applied.`);
    }
    return acceptedAt(guild, job);
  },
});
