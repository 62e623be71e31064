import { GatewayDispatchEvents, type GatewayReadyDispatchData } from 'discord.js';
import { guildsBeside, leaveGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { clock } from '../src/lib/clock.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';
import { guildTurns } from '../src/platforms/discord/guild-turns.js';

/**
 * A gateway session begins: from the servers of its shard that Discord does not list, the bot was removed while nobody
 * was connected, unless an event after this says that it is there. Those that it lists are told one by one.
 */
export const LeaveGuildsOnReady = listenerPiece(
  { emitter: 'ws', event: GatewayDispatchEvents.Ready },
  ({ guilds, shard: [shardId, shardCount] = [0, 1] }: GatewayReadyDispatchData) => {
    const readyAt = clock.now();
    const listed = guilds.map(({ id }) => id);
    return untilStored(async () => {
      for await (const guildId of guildsBeside(listed, shardId, shardCount)) {
        await guildTurns.add(guildId, () => leaveGuild(guildId, readyAt));
      }
    });
  },
);
