import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteGateway } from '../src/platforms/discord/gateway-state.js';

/** A connection was lost; discord.js reconnects automatically. */
export const NoteGatewayLost = onEvent(Events.ShardReconnecting, (shard) => noteGateway('lost', shard));
