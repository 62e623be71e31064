import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { clock } from '../../lib/clock.js';
import { isForThisProcess } from '../../platforms/discord/process-share.js';
import { nextDueByEndpoint } from './delivery-claim.js';
import { DeliveryLane, type LaneTools } from './delivery-lane.js';

/** Maximum concurrent attempts in this process to endpoints that answer, and the same number to those that fail. */
const placesOfEach = 128;

/** Maximum endpoints with a lane. The others, due for a shorter time, follow when a lane ends. */
const mostLanes = 2_000;

/** How long a held-back endpoint is skipped, so that its due deliveries don't delay others'. */
const heldBackForMs = 30_000;

/** A context without any request, so that the lane's log lines name none. */
const outside = AsyncLocalStorage.snapshot();

export interface WorkerOptions extends Omit<LaneTools, 'pools' | 'stopping'> {
  /** Maximum concurrent attempts to endpoints that answer, and to those that fail: 128 each by default. */
  places?: number;
}

/**
 * Makes due deliveries. It keeps no state itself: due times are stored with the deliveries, so that several workers in
 * several processes may share them.
 */
export class DeliveryWorker {
  readonly #options: WorkerOptions;
  readonly #lanes = new Map<string, DeliveryLane>();
  readonly #heldBack = new LRUCache<string, true>({
    max: 100_000,
    ttl: heldBackForMs,
    perf: { now: () => clock.monotonicMs() },
  });
  readonly #runs = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #tools: LaneTools;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const pool = () => new PQueue({ concurrency: options.places ?? placesOfEach });
    this.#tools = { ...options, pools: { healthy: pool(), failing: pool() }, stopping: this.#stopping.signal };
  }

  /** Starts an endpoint's due deliveries, without waiting. */
  wake(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (lane) lane.wake();
    else if (!this.#stopping.signal.aborted && this.#lanes.size < mostLanes) outside(() => this.#open(webhookId));
  }

  /**
   * Starts due deliveries without waiting: for this process's guilds, and those that other processes left, longest due
   * first.
   */
  async wakeAllDue(): Promise<void> {
    const now = this.#options.now();
    for (const { webhookId, guildId, dueAt } of await nextDueByEndpoint()) {
      const isDue = dueAt <= now && !this.#heldBack.has(webhookId);
      if (isDue && isForThisProcess(guildId, dueAt)) this.wake(webhookId);
    }
  }

  /** Resolves when this worker has nothing under way and knows about nothing due. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  /** Starts no more attempts, waits a while for those under way, and breaks off the rest. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.idle(), delay(withinMs, undefined, { ref: false })]);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.breakOff()));
    await this.idle();
  }

  #open(webhookId: string): void {
    const lane = new DeliveryLane(webhookId, this.#tools);
    this.#lanes.set(webhookId, lane);
    const run = lane.run().then(() => {
      this.#lanes.delete(webhookId);
      this.#runs.delete(run);
      if (lane.isHeldBack) this.#heldBack.set(webhookId, true);
      if (lane.isWoken) this.wake(webhookId);
    });
    this.#runs.add(run);
  }
}
