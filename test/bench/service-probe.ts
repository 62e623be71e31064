import { readFileSync } from 'node:fs';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import mongoose from 'mongoose';
import { serveParent } from './remote-process.js';

// Loaded into the service's process (`node --import`): reports the event loop's delay, the memory and the processor
// time.

const resolutionMs = 10;
const nsPerMs = 1e6;
const usPerMs = 1e3;

const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
const held = createHistogram();
let ranMs = threadMs();
setInterval(() => {
  const now = threadMs();
  held.record(Math.max(1, Math.round((now - ranMs - resolutionMs) * usPerMs)));
  ranMs = now;
}, resolutionMs).unref();

/** The thread's core time, by Linux's count: other processes' work is not in it. */
function threadMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / nsPerMs;
}

let peak = 0;
let spent = process.cpuUsage();
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 50).unref();

/** Commands to the database by kind, since `count`. */
let commands: Record<string, number> = {};

export const probeVerbs = {
  /** Counts commands that name any of these, without wake-ups; the database's address must ask for monitoring. */
  count({ naming }: { naming: readonly string[] }): void {
    const client = mongoose.connection.getClient();
    client.removeAllListeners('commandStarted');
    commands = {};
    client.on('commandStarted', ({ command, commandName }) => {
      const collection = String(command.collection ?? command[commandName]);
      if (collection === 'agendaJobs') return;
      const text = JSON.stringify(command);
      if (!naming.some((name) => text.includes(name))) return;
      const kind = `${commandName} ${collection}`;
      commands[kind] = (commands[kind] ?? 0) + 1;
    });
  },
  /** The commands counted so far. */
  counted: (_: null) => commands,
  /** Resets the measures. */
  begin(_: null): void {
    delays.reset();
    held.reset();
    spent = process.cpuUsage();
    peak = process.memoryUsage.rss();
  },
  /**
   * Delays in ms, including the 10 ms between two samples; the thread's core time between two looks, in
   * ms over 10; resident memory in MB; core time in ms.
   */
  read(_: null) {
    const { user, system } = process.cpuUsage(spent);
    return {
      coreMs: (user + system) / usPerMs,
      delayP99: delays.percentile(99) / nsPerMs,
      delayMax: delays.max / nsPerMs,
      heldP99: held.percentile(99) / usPerMs,
      heldMax: held.max / usPerMs,
      peakMemory: peak / 1024 / 1024,
    };
  },
};

serveParent(probeVerbs);
process.channel?.unref();
