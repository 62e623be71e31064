import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { gatewayRefusal, noteGateway } from '../src/platforms/discord/gateway-state.js';

/** Discord closed a shard's connection with a code after which discord.js does not reconnect. */
export const NoteGatewayRefused = onEvent(Events.ShardDisconnect, ({ code }, shard) =>
  noteGateway('refused', shard, { code, reason: gatewayRefusal(code) }),
);
