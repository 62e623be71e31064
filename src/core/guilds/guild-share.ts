import { secondMs } from '../../lib/time.js';
import { TimeShare } from '../../lib/time-share.js';

/**
 * A server's share of this process for what reads it as a whole and changes nothing: previews and dry runs (API-96).
 * Without it, one token's previews take half of a core.
 */
export const guildShare = new TimeShare(30 * secondMs, 0.1);
