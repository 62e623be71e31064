import { followedResync } from '../src/edges/interactions/commands/command-resync.js';
import { button } from '../src/edges/interactions/press.js';
import { confirmResync, readResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

/**
 * "Confirm", under a resync that waits for an admin because it would remove roles from many members. If the members
 * have changed since they were shown, the new ones are shown first.
 */
export const PressResyncConfirm = button(
  'resync-confirm',
  { as: 'admin' },
  async ({ guild, actor, state: [jobId = '', shown = ''] }) => {
    const job = await readResync(guild, jobId);
    const { since } = job.awaitingConfirmation ?? {};
    if (since !== undefined && String(since.getTime()) !== shown) {
      return followedResync(job, actor, t('resync.changed'));
    }
    return followedResync(await confirmResync(guild, actor, jobId, { since }), actor);
  },
);
