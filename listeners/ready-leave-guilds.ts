import { container } from '@sapphire/framework';
import { Events, GatewayDispatchEvents, type GatewayReadyDispatchData, type Guild } from 'discord.js';
import { guildsBeside, leaveGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';

/**
 * A gateway session begins. The bot has left the servers missing from its shard's list, unless a later event says
 * otherwise. Listed servers arrive one by one.
 */
export const LeaveGuildsOnReady = listenerPiece(
  { emitter: 'ws', event: GatewayDispatchEvents.Ready },
  async ({ guilds, shard: [shardId, shardCount] = [0, 1] }: GatewayReadyDispatchData) => {
    const listed = guilds.map(({ id }) => id);
    const cameSince = new Set<string>();
    const note = ({ id }: Guild) => cameSince.add(id);
    container.client.on(Events.GuildCreate, note);
    try {
      await untilStored(async () => {
        for await (const guildId of guildsBeside(listed, shardId, shardCount)) {
          await guildEventQueue.add(guildId, async () => {
            if (!cameSince.has(guildId)) await leaveGuild(guildId);
          });
        }
      });
    } finally {
      container.client.off(Events.GuildCreate, note);
    }
  },
);
