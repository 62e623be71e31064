import { setTimeout as delay } from 'node:timers/promises';
import { RemoteProcess } from './remote-process.js';
import type { probeVerbs } from './service-probe.js';

const entry = new URL('../../src/main.js', import.meta.url);
const probe = new URL('./service-probe.js', import.meta.url);

const readyWithinMs = 600_000;

/**
 * The heap in MB for measures of peak memory. With more room V8 delays collections, so that the peak would show their
 * rarity and not the need. Collections cost core time, so time measures don't use it.
 */
export const smallHeapMb = 192;

export interface MeasuredService {
  url: string;
  probe: RemoteProcess<typeof probeVerbs>;
}

/** Starts the service with this environment and no other, by default with Node's own heap, and waits until it is ready. */
export async function startMeasuredService(
  environment: Record<string, string>,
  { heapMb }: { heapMb?: number } = {},
): Promise<MeasuredService> {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const process = new RemoteProcess<typeof probeVerbs>(entry, {
    environment,
    execArgv: ['--import', probe.href, ...heap],
  });
  const url = `http://localhost:${environment.PORT}`;
  const end = Date.now() + readyWithinMs;
  while (!(await isReady(url))) {
    if (Date.now() > end) throw new Error(`The service was not ready within ${readyWithinMs} ms.`);
    await delay(100);
  }
  return { url, probe: process };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}
