import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveParent } from './remote-process.js';

// Loaded into the service's process beside it (`node --import`): tells how the event loop, the memory and the core fare.

const resolutionMs = 10;
const nsPerMs = 1e6;
const usPerMs = 1e3;

const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
let peak = 0;
let spent = process.cpuUsage();
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 50).unref();

export const probeVerbs = {
  /** Resets the measures. */
  begin(_: null): void {
    delays.reset();
    spent = process.cpuUsage();
    peak = process.memoryUsage.rss();
  },
  /** Delays in ms, including the 10 ms between two samples; resident memory in MB; core time in ms. */
  read(_: null) {
    const { user, system } = process.cpuUsage(spent);
    return {
      coreMs: (user + system) / usPerMs,
      delayP99: delays.percentile(99) / nsPerMs,
      delayMax: delays.max / nsPerMs,
      peakMemory: peak / 1024 / 1024,
    };
  },
};

serveParent(probeVerbs);
process.channel?.unref();
