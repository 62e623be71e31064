import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveParent } from './remote-process.js';

// Loaded into the service's process beside it (`node --import`): tells how the event loop and the memory fare.

const resolutionMs = 10;
const nsPerMs = 1e6;

const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 50).unref();

export const probeVerbs = {
  /** Forgets what was measured so far. */
  begin(_: null): void {
    delays.reset();
    peak = process.memoryUsage.rss();
  },
  /** Delays in ms, which count the 10 ms between two looks; resident memory in MB. */
  read(_: null) {
    return {
      delayP99: delays.percentile(99) / nsPerMs,
      delayMax: delays.max / nsPerMs,
      peakMemory: peak / 1024 / 1024,
    };
  },
};

serveParent(probeVerbs);
process.channel?.unref();
