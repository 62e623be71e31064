import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { config } from '../../src/config/config.js';
import { RankWatch } from '../../src/features/rank-watch/rank-watch.js';
import { clock } from '../../src/lib/clock.js';
import { logger } from '../../src/lib/logger.js';
import { secondMs } from '../../src/lib/time.js';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { serveParent } from '../bench/remote-process.js';

// Loaded into the service's process (`node --import`): moves its clock, and makes it poll immediately.

// discord.js lets 5 s pass between two IDENTIFYs by `Date`; a script loses more sessions than that allows.
const ofDiscordJs = createRequire(createRequire(import.meta.url).resolve('discord.js'));
const { SimpleIdentifyThrottler } = ofDiscordJs('@discordjs/ws');
SimpleIdentifyThrottler.prototype.waitForIdentify = async () => {};

clock.advance(Number(process.env.MODEL_AHEAD_SECONDS ?? '0') * secondMs);

let watching: Promise<void> | undefined;
let rankWatch: RankWatch | undefined;

async function watchRanks(): Promise<void> {
  rankWatch ??= new RankWatch(new AbortController().signal);
  await rankWatch.takeOver();
  while ((await rankWatch.batch()) === 0);
  while ((await rankWatch.poll()) === 0);
}

const resolutionMs = 10;
const megabyte = 1024 * 1024;
let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
let collect: (() => void) | undefined;

export const modelVerbs = {
  /**
   * The process's state: live memory after a collection, V8's compiled code, resident memory, and its event loop's
   * lateness since the first call, in ms.
   */
  measure(): { liveMb: number; compiledMb: number; residentMb: number; delayP99Ms: number; delayMaxMs: number } {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    const late = delays ?? monitorEventLoopDelay({ resolution: resolutionMs });
    late.enable();
    delays = late;
    const inMs = (ns: number): number => Math.max(0, ns / 1e6 - resolutionMs);
    const [delayP99Ms, delayMaxMs] = [inMs(late.percentile(99)), inMs(late.max)];
    // The collection itself is no lateness.
    late.disable();
    collect();
    late.enable();
    const { heapUsed, external, rss } = process.memoryUsage();
    const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
    const [liveMb, compiledMb] = [(heapUsed + external - code - bytecode) / megabyte, (code + bytecode) / megabyte];
    return { liveMb, compiledMb, residentMb: rss / megabyte, delayP99Ms, delayMaxMs };
  },
  /** As RANKING_GROUPS would name it. */
  allowRanking(groupId: string): void {
    (config().rankingGroups as Set<string>).add(groupId);
  },
  forbidRanking(_: undefined): void {
    (config().rankingGroups as Set<string>).clear();
  },
  pass({ seconds }: { seconds: number }): void {
    clock.advance(seconds * secondMs);
  },
  setClock({ seconds }: { seconds: number }): void {
    clock.jump(seconds * secondMs);
  },
  /** The standing jobs, with their intervals. */
  standing: (_: null): { name: string; everyMs: number }[] =>
    standingWork().map(({ name, everyMs }) => ({ name, everyMs })),
  /**
   * Runs these standing jobs now, one after the other, as the schedule would. Failed ones are left to their retries.
   */
  async runJobs(names: string[]): Promise<void> {
    const { signal } = new AbortController();
    for (const name of names) {
      const job = standingWork().find((each) => each.name === name);
      await job?.run(signal).catch((err: unknown) => logger.info({ err, name }, 'job failed'));
    }
  },
  /** Runs the rank watch's due work: its own loops sleep by the machine's clock. */
  async watchRanks(): Promise<void> {
    watching ??= watchRanks()
      .catch((err: unknown) => logger.info({ err }, 'ranks not read'))
      .finally(() => {
        watching = undefined;
      });
    await watching;
  },
};

serveParent(modelVerbs);
process.channel?.unref();
