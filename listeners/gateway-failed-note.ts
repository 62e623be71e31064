import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteGateway } from '../src/platforms/discord/gateway-state.js';

/** A shard's socket failed, or Discord closed it for good with a reason. The stack trace is useless here. */
export const NoteGatewayFailed = onEvent(Events.ShardError, ({ message }, shard) =>
  noteGateway('failed', shard, { reason: message }),
);
