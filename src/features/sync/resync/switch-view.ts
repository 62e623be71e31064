import { z } from 'zod';
import { timestamp } from '../../../lib/fields.js';
import type { SwitchStatus } from './switch-service.js';

const count = z.int().nonnegative();

/** The latest switch of a guild from observing to enforcing (OBS-12). */
export const switchView = z
  .strictObject({
    jobId: z.string().describe('The resync that made it.'),
    at: timestamp,
    state: z.enum(['made', 'undoing', 'undone']),
    undoableUntil: timestamp,
    changed: count.describe('Members whom it has changed, and who are not put back.'),
    putBack: count,
    kept: z.array(z.string()).describe('Members who stay as they are, since somebody changed them or they left.'),
  })
  .meta({ id: 'Switch' });

export function viewSwitch({ switched, undoableUntil, made, undone, kept }: SwitchStatus) {
  return {
    ...{ jobId: switched._id, at: switched.at.toISOString(), state: switched.state },
    ...{ undoableUntil: undoableUntil.toISOString(), changed: made, putBack: undone, kept },
  };
}
