import { GatewayDispatchEvents, type GatewayReadyDispatchData } from 'discord.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { enqueueReconciliation } from '../src/core/guilds/pending-reconciliations.js';
import { listenerPiece } from '../src/platforms/discord/event-listener.js';

/** A gateway session begins without resuming another: earlier events were lost. */
export const ReconcileOnReady = listenerPiece(
  { emitter: 'ws', event: GatewayDispatchEvents.Ready },
  ({ guilds }: GatewayReadyDispatchData) => untilStored(() => enqueueReconciliation(guilds.map(({ id }) => id))),
);
