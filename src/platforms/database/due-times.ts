import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';

interface DueTime {
  model: {
    collection: {
      readonly name: string;
      updateMany(filter: object, update: object, options: object): Promise<{ modifiedCount: number }>;
    };
  };
  field: string;
  /** The field in an update, if it is in an array's elements. */
  written?: string;
  /** The longest wait that the service ever sets, in milliseconds. */
  longestMs: number;
  /** The index for queries by this field. */
  hint: string | Record<string, 1 | -1>;
  /** A filter for the documents with this field; all by default. */
  among?: Record<string, unknown>;
}

const known: DueTime[] = [];

/** Declares a due time. A time beyond its longest wait comes from before the clock was set back, so it is due. */
export function declareDueTime(dueTime: DueTime): void {
  known.push(dueTime);
}

/** Makes all times beyond their longest wait due, in all collections. */
export async function mendDueTimes(): Promise<void> {
  for (const { model, field, written = field, longestMs, hint, among = {} } of known) {
    const now = clock.now();
    const stray = { ...among, [field]: { $gt: new Date(now.getTime() + longestMs) } };
    const { modifiedCount } = await model.collection.updateMany(stray, { $set: { [written]: now } }, { hint });
    if (modifiedCount > 0)
      logger.warn({ collection: model.collection.name, field, modifiedCount }, 'due times corrected');
  }
}

/** Smaller jumps are clock corrections without consequences. */
const leastJumpMs = 2 * secondMs;
/** The wall-clock time at monotonic zero, at the last check. */
let origin: number | undefined;

/** Repairs the due times if this process's clock was set back since the last check. */
export async function mendIfSetBack(): Promise<void> {
  const now = clock.epochMs() - clock.monotonicMs();
  const isSetBack = origin !== undefined && now < origin - leastJumpMs;
  origin = now;
  if (isSetBack) await mendDueTimes();
}
