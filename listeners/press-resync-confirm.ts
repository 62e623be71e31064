import { followedResync } from '../src/edges/interactions/command-resync.js';
import { button } from '../src/edges/interactions/press.js';
import { confirmResync } from '../src/features/sync/resync/resync-service.js';

/** "Confirm", under a resync that would take roles from so many that it waits for an admin. */
export const PressResyncConfirm = button(
  'resync-confirm',
  { as: 'admin' },
  async ({ guild, actor, state: [jobId = ''] }) => followedResync(await confirmResync(guild, actor, jobId), actor),
);
