import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteGateway } from '../src/platforms/discord/gateway-state.js';

/** A shard has a new session and its server list. */
export const NoteGatewayReady = onEvent(Events.ShardReady, (shard, unavailableGuilds) =>
  noteGateway('ready', shard, { unavailableGuilds: unavailableGuilds?.size ?? 0 }),
);
