import { useSyncExternalStore } from 'react';

/** A clock that moves by this many ms. */
function clockOf(tickMs: number) {
  return {
    /** The time in ms since 1970, to the end of the tick. */
    read: (): number => Math.floor(Date.now() / tickMs) * tickMs + tickMs,
    watch(changed: () => void): () => void {
      const timer = setInterval(changed, tickMs);
      return () => clearInterval(timer);
    },
  };
}

const ages = clockOf(10_000);
const seconds = clockOf(1_000);

/** The current time, for texts that show an age; re-renders every 10 s. */
export const useNow = (): number => useSyncExternalStore(ages.watch, ages.read);

/** The current time, for texts that count down; re-renders every second. */
export const useSecond = (): number => useSyncExternalStore(seconds.watch, seconds.read);

export const isoIn = (ms: number): string => new Date(Date.now() + ms).toISOString();
