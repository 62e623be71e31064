import { createRequire } from 'node:module';
import { RankWatch } from '../../src/features/sync/watch/rank-watch.js';
import { clock } from '../../src/lib/clock.js';
import { logger } from '../../src/lib/logger.js';
import { secondMs } from '../../src/lib/time.js';
import { registeredJobs } from '../../src/platforms/jobs/define-job.js';
import { serveParent } from '../bench/remote-process.js';

// Loaded into the service's process beside it (`node --import`): moves its clock, and has it look for due work at once.

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
  while ((await rankWatch.turn()) === 0);
  while ((await rankWatch.glance()) === 0);
}

export const modelVerbs = {
  /** Time passes. */
  pass({ seconds }: { seconds: number }): void {
    clock.advance(seconds * secondMs);
  },
  /** The machine's clock is set. */
  setClock({ seconds }: { seconds: number }): void {
    clock.jump(seconds * secondMs);
  },
  /** Runs these standing jobs now, one after the other, as Agenda would by and by. What fails is theirs to try again. */
  async runJobs(names: string[]): Promise<void> {
    const { signal } = new AbortController();
    for (const name of names) {
      const job = registeredJobs().find((each) => each.name === name);
      await job?.run({}, { signal, log: logger }).catch((err: unknown) => logger.info({ err, name }, 'job failed'));
    }
  },
  /** Does what the watch of ranks has to do by now: its own loops sleep by the machine's clock. */
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
