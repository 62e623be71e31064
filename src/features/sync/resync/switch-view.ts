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
    changed: count.describe('Changed members that are not restored yet.'),
    putBack: count,
    kept: z.array(z.string()).describe('Members that stay unchanged, since they were changed later or left.'),
  })
  .meta({ id: 'Switch' });

export function viewSwitch({ switched, undoableUntil, made, undone, kept }: SwitchStatus) {
  return {
    ...{ jobId: switched._id, at: switched.at.toISOString(), state: switched.state },
    ...{ undoableUntil: undoableUntil.toISOString(), changed: made, putBack: undone, kept },
  };
}
