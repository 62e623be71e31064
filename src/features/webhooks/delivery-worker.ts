import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { clock } from '../../lib/clock.js';
import { nextDueByEndpoint } from './delivery-claim.js';
import { DeliveryLane, type LaneTools } from './delivery-lane.js';

/** How many attempts this process has under way at most to endpoints that answer, and as many to those that fail. */
const placesOfEach = 128;

/** How many endpoints are worked for at once; the others, due for less long, have their turn when one is done. */
const mostLanes = 2_000;

/** How long an endpoint that is held back is left alone: its deliveries, due as they are, must keep nobody else's back. */
const heldBackForMs = 30_000;

/** Where nothing of a request hangs on: what is woken belongs to no request in the log. */
const outside = AsyncLocalStorage.snapshot();

export interface WorkerOptions extends Omit<LaneTools, 'pools' | 'stopping'> {
  /** How many attempts may be under way at once to endpoints that answer, and to those that fail: 128 of each. */
  places?: number;
  /** Told when a retry will be due. */
  onRetry?(at: Date): void;
}

/**
 * Makes the deliveries that are due. Nothing in it is the truth: what is due stands in the deliveries themselves, and
 * several workers, in this process and others, may work on the same ones.
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

  /** Delivers what is due of an endpoint, without waiting for it. */
  wake(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (lane) lane.wake();
    else if (!this.#stopping.signal.aborted && this.#lanes.size < mostLanes) outside(() => this.#open(webhookId));
  }

  /** Delivers what is due of all endpoints, those first that have waited longest, without waiting for it. */
  async wakeAllDue(): Promise<void> {
    const now = this.#options.now();
    for (const { webhookId, dueAt } of await nextDueByEndpoint()) {
      if (dueAt <= now && !this.#heldBack.has(webhookId)) this.wake(webhookId);
    }
  }

  /** Resolves when nothing is under way and nothing due that this worker knows of. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  /** Begins no more attempts, waits a while for those under way, and breaks off the rest. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.idle(), delay(withinMs, undefined, { ref: false })]);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.breakOff()));
    await this.idle();
  }

  #open(webhookId: string): void {
    const lane = new DeliveryLane(webhookId, this.#tools);
    this.#lanes.set(webhookId, lane);
    const run = lane.run().then((nextRetryAt) => {
      this.#lanes.delete(webhookId);
      this.#runs.delete(run);
      if (lane.isHeldBack) this.#heldBack.set(webhookId, true);
      if (nextRetryAt !== undefined) this.#options.onRetry?.(nextRetryAt);
      if (lane.isWoken) this.wake(webhookId);
    });
    this.#runs.add(run);
  }
}
