import { Events } from '@sapphire/framework';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { enqueueReconciliation } from '../src/core/guilds/pending-reconciliations.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';
import { comesAlone } from '../src/platforms/discord/shard-guilds.js';

/**
 * Enqueues a reconciliation for a server that is reachable again after a Discord outage, since member events were lost.
 */
export const KeepAvailableGuild = onEvent(Events.GuildAvailable, async (guild) => {
  if (!comesAlone(guild)) return;
  await guildEventQueue.add(guild.id, () =>
    untilStored(async () => {
      await keepGuild(profileOfGuild(guild));
      await enqueueReconciliation([guild.id]);
    }),
  );
});
