import { foreground } from '../../../lib/foreground.js';
import { currentLane } from '../../../platforms/discord/rest/lane.js';

/**
 * For so long, in milliseconds, and before each step of a change, of which there are five: of each kind Discord lets one
 * change a second through, so that a resync misses none even where people come one after the other.
 */
const mostMs = 100;

/**
 * Lets those be served first whose command or press is under way in this process (SYNC-47), unless somebody waits for
 * this, too.
 */
export async function yieldToInteractive(): Promise<void> {
  if (currentLane().lane !== 'interactive') await foreground.yield(mostMs);
}
