import { KeyedQueue } from '../../lib/keyed-queue.js';

/** Gateway events of one server are stored one after the other, in order of arrival. */
export const guildEventQueue = new KeyedQueue();
