import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteGateway } from '../src/platforms/discord/gateway-state.js';

/** The socket of a shard failed, or Discord closed it for good and says why. Where the error comes from tells nothing. */
export const NoteGatewayFailed = onEvent(Events.ShardError, ({ message }, shard) =>
  noteGateway('failed', shard, { reason: message }),
);
