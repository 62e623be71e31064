import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';
import { rankTargetMs } from './rank-target.js';

/** One round in a loop. It calls `alive` whenever it gets on. @returns the milliseconds until the next round. */
export type Step = (alive: () => void) => Promise<number>;

interface Loop {
  name: string;
  /** By `clock.monotonicMs()`. */
  aliveAt: number;
  isTold: boolean;
}

const loops = new Set<Loop>();
const lookedAtEveryMs = 10 * secondMs;

/** Milliseconds for which the loop that stands still longest has not come on, if longer than the best target; or null. */
export function standingStillMs(): number | null {
  const longest = Math.max(...[...loops].map(stillMs), 0);
  return longest > rankTargetMs('enterprise') ? longest : null;
}

const stillMs = ({ aliveAt }: Loop): number => clock.monotonicMs() - aliveAt;

/** Repeats a step until `signal` is aborted. A failed one follows after a second. */
export async function runLoop(name: string, step: Step, signal: AbortSignal): Promise<void> {
  const loop: Loop = { name, aliveAt: clock.monotonicMs(), isTold: false };
  const alive = (): void => comesOn(loop);
  loops.add(loop);
  const look = setInterval(() => tellIfStill(loop), lookedAtEveryMs).unref();
  while (!signal.aborted) {
    alive();
    const waitMs = await step(alive).catch((err: unknown) => {
      if (!signal.aborted) logger[err instanceof GamePlatformUnavailable ? 'info' : 'error']({ err }, 'ranks not read');
      return secondMs;
    });
    alive();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  clearInterval(look);
  loops.delete(loop);
}

function comesOn(loop: Loop): void {
  if (loop.isTold) logger.info({ loop: loop.name, stoodMs: stillMs(loop) }, 'rank watch goes on');
  loop.isTold = false;
  loop.aliveAt = clock.monotonicMs();
}

/** Logs once that a loop stands still. */
function tellIfStill(loop: Loop): void {
  if (loop.isTold || stillMs(loop) <= rankTargetMs('enterprise')) return;
  loop.isTold = true;
  logger.error({ loop: loop.name, stillMs: stillMs(loop) }, 'rank watch stands still');
}
