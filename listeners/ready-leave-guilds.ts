import { GatewayDispatchEvents, type GatewayReadyDispatchData } from 'discord.js';
import { leaveOtherGuilds } from '../src/core/guilds/guild-service.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';

/**
 * A gateway session begins: from the servers of its shard that Discord does not list, the bot was removed while nobody
 * was connected. Those that it lists are told one by one after this, as guildAvailable.
 */
export const LeaveGuildsOnReady = listenerPiece(
  { emitter: 'ws', event: GatewayDispatchEvents.Ready },
  ({ guilds, shard: [shardId, shardCount] = [0, 1] }: GatewayReadyDispatchData) =>
    leaveOtherGuilds(
      guilds.map(({ id }) => id),
      [shardId],
      shardCount,
    ),
);
