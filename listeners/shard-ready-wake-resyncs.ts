import { Events } from '@sapphire/framework';
import { wakeAllWaiting } from '../src/features/sync/resync/resync-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A gateway session has begun, as after a restart: waiting resyncs are retried. */
export const WakeResyncsOnShardReady = onEvent(Events.ShardReady, () => wakeAllWaiting());
