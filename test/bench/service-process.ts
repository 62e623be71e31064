import { setTimeout as delay } from 'node:timers/promises';
import { RemoteProcess } from './remote-process.js';
import type { probeVerbs } from './service-probe.js';

const entry = new URL('../../src/main.js', import.meta.url);
const probe = new URL('./service-probe.js', import.meta.url);

const readyWithinMs = 120_000;

/**
 * The same small heap for every guild, in MB: with more room V8 lets garbage lie, so that a peak would tell how seldom it
 * was collected, and not what a guild needs.
 */
const smallHeap = '--max-old-space-size=128';

/** The service in a process of its own, with the probe in it. */
export interface MeasuredService {
  url: string;
  probe: RemoteProcess<typeof probeVerbs>;
}

/** Starts the service with this environment and no other, and waits until it is ready. */
export async function startMeasuredService(environment: Record<string, string>): Promise<MeasuredService> {
  const process = new RemoteProcess<typeof probeVerbs>(entry, {
    environment,
    execArgv: ['--import', probe.href, smallHeap],
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
