import { GatewayDispatchEvents } from 'discord.js';
import { forgetGatewayWords } from '../src/features/sync/member/waiting-joins.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';
import { endSeenSession } from '../src/platforms/discord/seen-members.js';

/** A gateway session begins without resuming another: member changes may be lost. */
export const ForgetWordsOnReady = listenerPiece({ emitter: 'ws', event: GatewayDispatchEvents.Ready }, () => {
  forgetGatewayWords();
  endSeenSession();
});
