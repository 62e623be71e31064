import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { pressable } from '../src/edges/interactions/commands/command-mention.js';
import { beginResync, followedResync } from '../src/edges/interactions/commands/command-resync.js';
import { dashboardLink, guildPage } from '../src/edges/interactions/dashboard-link.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { rankAgeText } from '../src/edges/interactions/replies/reply-rank-age.js';
import { readRankAge } from '../src/features/rank-watch/rank-age.js';
import { countGroupsOf } from '../src/features/rank-watch/watched-group-counts.js';
import { cancelResync, latestResync, openResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

export const ResyncCommand = guildCommand('resync', {
  forManagers: true,
  subcommands: {
    start: {
      as: 'manager',
      run: beginResync,
    },
    status: {
      as: 'viewer',
      run: async ({ guild, actor }) => {
        const read = [latestResync(guild._id), readRankAge(guild), countGroupsOf(guild._id)] as const;
        const [job, ranks, groups] = await Promise.all(read);
        const age = rankAgeText(ranks, groups);
        if (job !== null) return followedResync(job, actor, age);
        return note(
          'neutral',
          `${age}\n${pressable('resync.none')}`,
          dashboardLink(guildPage(guild._id, 'changes', { tab: 'made' })),
        );
      },
    },
    cancel: {
      as: 'manager',
      run: async ({ guild, actor }) => {
        const running = await openResync(guild._id);
        if (running === null) return note('neutral', t('resync.none_running'));
        return followedResync(await cancelResync(guild, actor, running._id), actor);
      },
    },
  },
});
