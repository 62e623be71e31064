import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { followedResync } from '../src/edges/interactions/command-resync.js';
import { say } from '../src/edges/interactions/reply.js';
import { cancelResync, latestResync, openResync, startResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

export const ResyncCommand = guildCommand('resync', {
  forManagers: true,
  subcommands: {
    start: {
      as: 'manager',
      run: async ({ guild, actor }) => {
        const { job, isNew } = await startResync(guild, actor);
        return followedResync(job, actor, isNew ? undefined : t('resync.already'));
      },
    },
    status: {
      as: 'viewer',
      run: async ({ guild, actor }) => {
        const job = await latestResync(guild._id);
        return job === null ? say(t('resync.none')) : followedResync(job, actor);
      },
    },
    cancel: {
      as: 'manager',
      run: async ({ guild, actor }) => {
        const running = await openResync(guild._id);
        if (running === null) return say(t('resync.none_running'));
        return followedResync(await cancelResync(guild, actor, running._id), actor);
      },
    },
  },
});
