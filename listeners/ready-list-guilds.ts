import { GatewayDispatchEvents, type GatewayReadyDispatchData } from 'discord.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';
import { listGuilds } from '../src/platforms/discord/shard-guilds.js';

/** A gateway session begins with its shard's servers, which arrive one by one. */
export const ListGuildsOnReady = listenerPiece(
  { emitter: 'ws', event: GatewayDispatchEvents.Ready },
  ({ guilds, shard: [shardId] = [0, 1] }: GatewayReadyDispatchData) =>
    listGuilds(
      shardId,
      guilds.map(({ id }) => id),
    ),
);
