import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { logger } from '../../lib/logger.js';
import { claimLease, releaseLease, renewLease } from './lease-store.js';

export interface LeaseOptions {
  /** How long to wait for the lease, in milliseconds. */
  waitMs?: number;
  /** How long the lease outlives a killed holder, in milliseconds. It is renewed while the work runs. */
  holdMs?: number;
}

/**
 * Pauses between attempts to get a lease that another process holds, in milliseconds; they double up to the longest.
 */
const POLL_MS = { first: 10, longest: 200 };

/** Callers of this process wait here in order, so that only the first of them asks the database. */
const localTurns = new KeyedQueue();

/**
 * Runs `work` while nobody else works under the same `key`, in this process or another: syncs of one member never
 * overlap (SYNC-35). Callers of one process take turns in their order.
 * @returns what `work` returns. What it throws is thrown; either way the lease is given back.
 * @throws Conflict `busy` when the lease is not free within `waitMs`.
 */
export async function withLease<T>(
  key: string,
  work: (lease: Lease) => Promise<T>,
  { waitMs = 10_000, holdMs = 30_000 }: LeaseOptions = {},
): Promise<T> {
  const waiting = new AbortController();
  const busy = new Conflict('busy', 'This is being worked on right now. Try again in a moment.', { key });
  const timer = setTimeout(() => waiting.abort(busy), waitMs);
  const takeTurn = async () => {
    const lease = await acquire(key, holdMs, waiting.signal);
    clearTimeout(timer);
    try {
      return await work(lease);
    } finally {
      await lease.release();
    }
  };
  try {
    return await localTurns.add(key, takeTurn, waiting.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function acquire(key: string, holdMs: number, waiting: AbortSignal): Promise<HeldLease> {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  for (let pause = POLL_MS.first; ; pause = Math.min(pause * 2, POLL_MS.longest)) {
    const askedAt = clock.monotonicMs();
    const fence = await claimLease(key, owner, holdMs);
    if (fence !== undefined) {
      const lease = new HeldLease({ key, owner, fence, holdMs }, askedAt);
      if (!waiting.aborted) return lease;
      await lease.release();
    }
    // The jitter keeps waiting processes from asking in step. An abort ends the pause, and is thrown after it.
    await delay(pause * (0.5 + Math.random()), undefined, { signal: waiting }).catch(() => undefined);
    waiting.throwIfAborted();
  }
}

/** The right to work on a thing alone, until `signal` is aborted. */
export interface Lease {
  /**
   * Rises with each lease on the same key. A write that checks it (`{ fence: { $lt: fence } }`) can't undo what a later
   * holder wrote, even if this holder lost its lease without noticing, as a suspended process does.
   */
  readonly fence: number;
  /** Aborted when the lease is lost: another process may hold it. */
  readonly signal: AbortSignal;
  /**
   * Throws Conflict `lease_lost` once the lease may have run out, by the clock and not by a timer: a process that was
   * stopped asks this before its timers have fired.
   */
  requireHeld(): void;
}

/** The work can't go on: another process may hold the lease by now. */
export function leaseLost(key: string): Conflict {
  return new Conflict('lease_lost', 'Another process has taken this over.', { key });
}

interface Claim {
  key: string;
  owner: string;
  fence: number;
  holdMs: number;
}

/** A lease that this process has claimed, renewed three times within `holdMs` until it is released or lost. */
class HeldLease implements Lease {
  readonly fence: number;
  readonly signal: AbortSignal;
  readonly #claim: Claim;
  readonly #lost = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  /** When the lease may have run out, counted from when it was last asked for, since the answer comes later. */
  #expiresAt = 0;
  #expiry: NodeJS.Timeout | undefined;
  #ended = false;

  /** `askedAt` is when the claim was sent, by `clock.monotonicMs()`. */
  constructor(claim: Claim, askedAt: number) {
    this.#claim = claim;
    this.fence = claim.fence;
    this.signal = this.#lost.signal;
    this.#expireAt(askedAt + claim.holdMs);
    this.#renewal = setInterval(() => void this.#renew(), claim.holdMs / 3);
  }

  requireHeld(): void {
    if (this.#ended || clock.monotonicMs() >= this.#expiresAt) throw leaseLost(this.#claim.key);
  }

  /** Gives the lease back. If the database can't be reached, the lease runs out by itself. */
  async release(): Promise<void> {
    this.#end();
    const { key, owner } = this.#claim;
    await releaseLease(key, owner).catch((error) => logger.warn({ err: error, key }, 'lease not released'));
  }

  async #renew(): Promise<void> {
    const { key, owner, holdMs } = this.#claim;
    const askedAt = clock.monotonicMs();
    try {
      const isOurs = await renewLease(key, owner, holdMs);
      if (this.#ended) return;
      if (isOurs) this.#expireAt(askedAt + holdMs);
      else this.#lose();
    } catch (error) {
      logger.warn({ err: error, key }, 'lease not renewed');
    }
  }

  #expireAt(time: number): void {
    clearTimeout(this.#expiry);
    this.#expiresAt = time;
    this.#expiry = setTimeout(() => this.#lose(), time - clock.monotonicMs());
  }

  #lose(): void {
    const { key } = this.#claim;
    this.#end();
    logger.warn({ key }, 'lease lost');
    this.#lost.abort(leaseLost(key));
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
  }
}
