import { KeyedQueue } from '../../lib/keyed-queue.js';

/** One server's gateway events are stored one after the other, in arrival order. */
export const guildEventQueue = new KeyedQueue();
