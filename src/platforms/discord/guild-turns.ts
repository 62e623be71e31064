import { KeyedQueue } from '../../lib/keyed-queue.js';

/** Gateway events of one server are stored one after the other, in the order in which they came. */
export const guildTurns = new KeyedQueue();
