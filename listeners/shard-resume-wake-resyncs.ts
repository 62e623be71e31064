import { Events } from '@sapphire/framework';
import { wakeWaitingFor } from '../src/features/sync/resync/resync-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Discord's gateway is back: resyncs waiting for Discord are retried. */
export const WakeResyncsOnShardResume = onEvent(Events.ShardResume, () => wakeWaitingFor('chat'));
