import { setTimeout as sleep } from 'node:timers/promises';
import { config, processesOf } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { within } from '../../lib/within.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import type { SyncTrigger } from '../members/member-sync-fields.js';
import { onSyncPending } from '../members/pending-syncs.js';
import { askLogsAgain } from './group-log-poll.js';
import { claimDueGroup, noteFailedPoll, pollClaimed } from './group-poll.js';
import { askedWithinMs, claimBatch, nextBatchAt, readBatch } from './guild-batch.js';
import { type RankInterests, readInterests } from './rank-interests.js';
import { hasKey } from './rank-target.js';
import { TokenBucket } from './token-bucket.js';
import { runLoop, type Step } from './watch-loops.js';
import { takeOverLinks, watchSoon } from './watched-links.js';
import { WatchedGroups } from './watched-models.js';

/** A key's calls a minute for memberships, and as many for roles (Roblox's OpenAPI). */
export const callsPerMinute = 300;
/** A key's calls a minute for the logs of groups. */
export const logCallsPerMinute = 100;
/** Calls per log poll, on average: many new lines take more than one. */
const callsPerLog = 1.5;
/** The watch's share of the calls. The rest is kept for interactive reads (RANK-23). */
export const watchShare = 0.7;
/** Roblox publishes no limits for its older hosts. */
const keylessPerMinute = 60;

const interestsForMs = minuteMs;
const patienceMs = 3 * minuteMs;
const busyMs = 5 * secondMs;
const idleMs = minuteMs;

/** Watches all linked accounts' ranks (RANK-1): one in each process; they share the work. */
export class RankWatch {
  readonly #members: TokenBucket;
  readonly #counts: TokenBucket;
  readonly #logs: TokenBucket;
  readonly #signal: AbortSignal;
  #interests: { value: Promise<RankInterests>; at: number } | undefined;

  /** `share`: this watch's part of the key's calls. */
  constructor(signal: AbortSignal, share = watchShare / processesOf(config().shards)) {
    this.#signal = signal;
    this.#members = new TokenBucket(share * (hasKey() ? callsPerMinute : keylessPerMinute));
    this.#counts = new TokenBucket(share * callsPerMinute);
    this.#logs = new TokenBucket(share * logCallsPerMinute);
  }

  /** Takes over new links. Like the other methods it returns the milliseconds until its next call. */
  async takeOver(): Promise<number> {
    await takeOverLinks();
    return (await nextBatchAt()) === null ? idleMs : busyMs;
  }

  /** `alive` is called with each call to Roblox. */
  async batch(alive = () => {}): Promise<number> {
    const batch = await claimBatch(clock.now());
    if (batch === null) return this.#untilDue(await nextBatchAt());
    await readBatch(batch, {
      interests: await this.#readInterests(),
      pace: this.#members,
      patience: this.#patience(this.#members, alive),
      urgently: this.#patience(this.#members, alive, true),
      paced: () => this.#members.take({ signal: this.#signal }),
    });
    return 0;
  }

  async poll(alive = () => {}): Promise<number> {
    if (!hasKey()) return idleMs;
    if ((await nextBatchAt()) === null) return idleMs;
    const interests = await this.#readInterests();
    const group = await claimDueGroup();
    if (group === null) return this.#untilDue(await nextPollAt());
    const context = {
      interests,
      counts: this.#patience(this.#counts, alive),
      members: this.#patience(this.#members, alive, true),
      logs: this.#logs.hasRoom ? this.#patience(this.#logs, alive, true) : null,
      // All processes share polling the logs.
      logRoundMs: this.#logs.msOf(interests.logs * callsPerLog) / processesOf(config().shards),
      paced: () => this.#members.take({ urgent: true, signal: this.#signal }),
    };
    await pollClaimed(group, context).catch(async (error) => {
      await noteFailedPoll(group);
      throw error;
    });
    return 0;
  }

  #untilDue(at: Date | null): number {
    return at === null ? idleMs : Math.min(busyMs, Math.max(secondMs, at.getTime() - clock.epochMs()));
  }

  /** The interests, at most a minute old. */
  #readInterests(): Promise<RankInterests> {
    const now = clock.monotonicMs();
    if (this.#interests === undefined || now - this.#interests.at >= interestsForMs) {
      this.#interests = { value: within(askedWithinMs, readInterests()), at: now };
      this.#interests.value.catch(() => {
        this.#interests = undefined;
      });
    }
    return this.#interests.value;
  }

  #patience(pace: TokenBucket, alive: () => void, urgent = false): Patience {
    const signal = this.#signal;
    const turn = async (): Promise<void> => {
      alive();
      await pace.take({ urgent, signal });
      alive();
    };
    return { totalMs: patienceMs, attempts: 4, yields: true, signal, turn };
  }
}

async function nextPollAt(): Promise<Date | null> {
  const next = await WatchedGroups.findOne({}, { dueAt: 1 }).sort({ dueAt: 1 }).lean();
  return next?.dueAt ?? null;
}

/** Concurrent group polls: one may have many pages to read. */
const pollsAtOnce = 3;
const batchesAtOnce = 2;

/** Watches until the returned function is called. It waits at most `withinMs` for running work. */
export function startRankWatch(): (withinMs: number) => Promise<void> {
  onSyncPending(watchWhoMoves);
  askLogsAgain().catch((err: unknown) => logger.error({ err }, 'refused group logs not retried'));
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = new RankWatch(signal);
  const several = (name: string, count: number, step: Step) =>
    Array.from({ length: count }, () => runLoop(name, step, signal));
  const loops = [
    ...several('links', 1, () => watch.takeOver()),
    ...several('batches', batchesAtOnce, (alive) => watch.batch(alive)),
    ...several('polls', pollsAtOnce, (alive) => watch.poll(alive)),
  ];
  return async (withinMs) => {
    stopping.abort();
    await Promise.race([Promise.all(loops), sleep(withinMs, undefined, { ref: false })]);
  };
}

/** Watches a person after their return to a guild, and no longer after an unlink. */
function watchWhoMoves({ chatUserId }: { chatUserId: string }, trigger: SyncTrigger): void {
  if (trigger !== 'join' && trigger !== 'unlink') return;
  watchSoon(chatUserId).catch((err: unknown) => logger.error({ err, chatUserId }, 'early rank check not scheduled'));
}
