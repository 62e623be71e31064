import { Events } from '@sapphire/framework';
import { mappedRolesDifferAmong } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildsOfSession } from '../src/platforms/discord/shard-guilds.js';

/** A new session has listed all servers of its shard: some servers' roles may have changed unseen. */
export const LogRolesOfReadyShard = onEvent(Events.ShardReady, (shardId) =>
  mappedRolesDifferAmong(guildsOfSession(shardId).map(({ id }) => id)),
);
