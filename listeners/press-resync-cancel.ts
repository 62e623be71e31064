import { followedResync } from '../src/edges/interactions/commands/command-resync.js';
import { button } from '../src/edges/interactions/press.js';
import { cancelResync } from '../src/features/sync/resync/resync-service.js';

export const PressResyncCancel = button(
  'resync-cancel',
  { as: 'manager' },
  async ({ guild, actor, state: [jobId = ''] }) => followedResync(await cancelResync(guild, actor, jobId), actor),
);
