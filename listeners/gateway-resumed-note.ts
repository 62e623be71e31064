import { Events } from '@sapphire/framework';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteGateway } from '../src/platforms/discord/gateway-state.js';

/** A lost connection resumed where it broke off. */
export const NoteGatewayResumed = onEvent(Events.ShardResume, (shard, replayedEvents) =>
  noteGateway('resumed', shard, { replayedEvents }),
);
