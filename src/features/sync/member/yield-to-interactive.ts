import { foreground } from '../../../lib/foreground.js';
import { currentLane, isUrgent } from '../../../lib/lane.js';

/**
 * Maximum wait before each of a change's five steps, in milliseconds. Discord allows one change in each kind a second,
 * so a resync misses none, even during a continuous command stream.
 */
const mostMs = 100;

/**
 * Yields to commands and presses that are running in this process (SYNC-47), unless someone also waits for this work.
 */
export async function yieldToInteractive(): Promise<void> {
  if (!isUrgent(currentLane().lane)) await foreground.yield(mostMs);
}
