import { clock } from './clock.js';
import { logger } from './logger.js';
import { secondMs } from './time.js';

/** Interval for comparing the wall clock with the monotonic clock. */
const comparedEveryMs = 5 * secondMs;
/** Smaller jumps are clock corrections without consequences. */
const leastJumpMs = 2 * secondMs;

/**
 * Calls `onSetBack` with the milliseconds when the machine's clock was set back by more than 2 s. The returned function
 * stops that. A clock set forward only ends waits early and needs no handling.
 */
export function watchClock(onSetBack: (ms: number) => unknown): () => void {
  const drift = () => clock.machineTime().getTime() - clock.monotonicMs();
  let known = drift();
  const compare = async () => {
    const setBackMs = Math.round(known - drift());
    known = drift();
    if (setBackMs < leastJumpMs) return;
    logger.warn({ setBackMs }, 'clock was set back');
    await onSetBack(setBackMs);
  };
  const timer = setInterval(() => {
    compare().catch((err: unknown) => logger.error({ err }, 'clock setback not fully handled'));
  }, comparedEveryMs).unref();
  return () => clearInterval(timer);
}
