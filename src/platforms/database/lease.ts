import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { HeldLease, type Lease } from './held-lease.js';
import { claimLease } from './lease-store.js';

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
 * overlap (SPEC §6.5). Callers of one process take turns in their order.
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
