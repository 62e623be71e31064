import { useSyncExternalStore } from 'react';

const tickMs = 10_000;

/** The time in ms since 1970, to the tick, for texts that show an age. */
const tick = (): number => Math.floor(Date.now() / tickMs) * tickMs + tickMs;

function onTick(changed: () => void): () => void {
  const timer = setInterval(changed, tickMs);
  return () => clearInterval(timer);
}

/** The current time; re-renders every 10 s. */
export const useNow = (): number => useSyncExternalStore(onTick, tick);

export const isoIn = (ms: number): string => new Date(Date.now() + ms).toISOString();
