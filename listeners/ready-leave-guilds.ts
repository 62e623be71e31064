import { Listener } from '@sapphire/framework';
import { GatewayDispatchEvents, type GatewayReadyDispatchData } from 'discord.js';
import { leaveOtherGuilds } from '../src/core/guilds/guild-service.js';

/**
 * A gateway session begins: from the servers of its shard that Discord does not list, the bot was removed while nobody
 * was connected. Those that it lists are told one by one after this, as guildAvailable.
 */
export class LeaveGuildsOnReady extends Listener {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'ready-leave-guilds', emitter: 'ws', event: GatewayDispatchEvents.Ready });
  }

  override run({ guilds, shard = [0, 1] }: GatewayReadyDispatchData) {
    const [shardId, shardCount] = shard;
    const listed = guilds.map(({ id }) => id);
    return leaveOtherGuilds(listed, [shardId], shardCount);
  }
}
