import { secondMs } from '../../lib/time.js';
import { TimeShare } from '../../lib/time-share.js';

/**
 * A server's share of this process for readings of it as a whole: previews and dry runs (API-96).
 * Without it, one token's previews take half of a core.
 */
export const guildShare = new TimeShare(30 * secondMs, 0.1, 30);
