import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';

/** A field of a collection that says when something is due. */
interface DueTime {
  model: {
    collection: {
      readonly name: string;
      updateMany(filter: object, update: object, options: object): Promise<{ modifiedCount: number }>;
    };
  };
  field: string;
  /** The longest wait that the service ever sets, in milliseconds. */
  longestMs: number;
  /** The index by which the field is looked through. */
  hint: string | Record<string, 1 | -1>;
  /** Of which documents this is so; all when left out. */
  among?: Record<string, unknown>;
}

const known: DueTime[] = [];

/** Declares a due time. One that lies further ahead than its longest wait is from before a clock was set back: it is due. */
export function declareDueTime(dueTime: DueTime): void {
  known.push(dueTime);
}

/** Makes due what lies further ahead than its longest wait, in all collections. */
export async function mendDueTimes(): Promise<void> {
  for (const { model, field, longestMs, hint, among = {} } of known) {
    const now = clock.now();
    const stray = { ...among, [field]: { $gt: new Date(now.getTime() + longestMs) } };
    const { modifiedCount } = await model.collection.updateMany(stray, { $set: { [field]: now } }, { hint });
    if (modifiedCount > 0) logger.warn({ collection: model.collection.name, field, modifiedCount }, 'due times mended');
  }
}

/** Less is a correction of the clock that nothing notices. */
const leastJumpMs = 2 * secondMs;
/** The time of day when no time had passed, as it was last seen. */
let origin: number | undefined;

/** The same, where this process's time of day was set back since it last asked. */
export async function mendIfSetBack(): Promise<void> {
  const now = clock.epochMs() - clock.monotonicMs();
  const isSetBack = origin !== undefined && now < origin - leastJumpMs;
  origin = now;
  if (isSetBack) await mendDueTimes();
}
