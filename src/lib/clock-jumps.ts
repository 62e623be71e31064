import { clock } from './clock.js';
import { logger } from './logger.js';
import { secondMs } from './time.js';

/** How often the time of day is compared with the time that has passed. */
const comparedEveryMs = 5 * secondMs;
/** Less is a correction of the clock that nothing notices. */
const leastJumpMs = 2 * secondMs;

/**
 * Calls `onSetBack` when the machine's clock has been set back by more than 2 s, with by how many milliseconds, until
 * the function given back is called. Set forward, it ends waits early and needs no care.
 */
export function watchClock(onSetBack: (ms: number) => unknown): () => void {
  const drift = () => clock.machineTime().getTime() - clock.monotonicMs();
  let known = drift();
  const compare = async () => {
    const setBackMs = Math.round(known - drift());
    known = drift();
    if (setBackMs < leastJumpMs) return;
    logger.warn({ setBackMs }, 'the clock was set back');
    await onSetBack(setBackMs);
  };
  const timer = setInterval(() => {
    compare().catch((err: unknown) => logger.error({ err }, 'not everything heeds that the clock was set back'));
  }, comparedEveryMs).unref();
  return () => clearInterval(timer);
}
