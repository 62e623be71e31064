import type { z } from 'zod';
import { minuteMs } from '../../lib/time.js';
import { type JobContext, registerJob } from './job-registry.js';

/** Ids only: the job reads what it has to do from our own collections when it runs. */
export type JobData = Record<string, string>;

export interface JobDefinition<Data extends JobData> {
  /** Kebab-case and unique. Stored with each wake-up, so renaming a job strands those that are waiting. */
  name: string;
  data: z.ZodType<Data>;
  /** How many runs one process may have at once. */
  concurrency: number;
  /** After how many milliseconds a crashed process's run is repeated. A living run renews its lock. */
  lockLifetime?: number;
  run(data: Data, context: JobContext): Promise<void>;
}

/** What `wake`, `wakeAt` and `every` take. */
export interface Job<Data extends JobData> {
  readonly name: string;
  readonly data: z.ZodType<Data>;
}

const DEFAULT_LOCK_LIFETIME_MS = minuteMs;

/**
 * Defines a job: work that is woken by `wake`, `wakeAt` or `every`, and finds out for itself what there is to do.
 *
 * A wake-up is a hint (docs/ARCHITECTURE.md): it may be lost, come twice, or come while the job still runs. What is due
 * and what is done is stored in the feature's own collections; runs that must not meet take a lease (`withLease`). So a
 * job whose target is gone just returns. A job that throws is logged and not repeated: its feature stores when to try
 * again and wakes it for then. At boot each feature wakes what is due.
 * @throws Error when the name is taken.
 */
export function defineJob<Data extends JobData>(definition: JobDefinition<Data>): Job<Data> {
  registerJob({
    name: definition.name,
    concurrency: definition.concurrency,
    lockLifetime: definition.lockLifetime ?? DEFAULT_LOCK_LIFETIME_MS,
    stats: { running: 0, completed: 0, failed: 0 },
    run: (storedData, context) => definition.run(definition.data.parse(storedData), context),
  });
  return definition;
}
