import { Events } from '@sapphire/framework';
import { wakeWaitingFor } from '../src/features/sync/resync/resync-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Discord's gateway is back: resyncs that wait for Discord are tried again. */
export const WakeResyncsOnShardResume = onEvent(Events.ShardResume, () => wakeWaitingFor('chat'));
