import { KeyedQueue } from '../../lib/keyed-queue.js';

/** What the gateway tells of a server is written down in the order in which it is told, by the server's id. */
export const guildTurns = new KeyedQueue();
