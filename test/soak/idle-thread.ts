import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const resolutionMs = 10;

/** A thread that does nothing but see how late it is: what the machine itself is responsible for. */
export function startIdleThread(): { stop(): Promise<number> } {
  const worker = new Worker(new URL(import.meta.url));
  return {
    /** Ends it and gives its delays' 99th percentile in ms. */
    async stop() {
      worker.postMessage('stop');
      const [p99] = await once(worker, 'message');
      await worker.terminate();
      return Number(p99);
    },
  };
}

if (!isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  parentPort?.once('message', () => {
    parentPort?.postMessage(Math.max(0, delays.percentile(99) / 1e6 - resolutionMs));
  });
}
