import { secondMs } from '../../lib/time.js';
import { TimeShare } from '../../lib/time-share.js';

/**
 * A server's share in this process for readings over the whole server: previews and dry runs (API-96).
 * Without it, one token's previews take half a core.
 */
export const guildShare = new TimeShare(30 * secondMs, 0.1, 30);
