import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { waitAfter } from '../../lib/backoff.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { logger } from '../../lib/logger.js';
import { type Claim, claimLease, releaseLease, renewLeases } from './lease-store.js';

export interface LeaseOptions {
  /** Maximum wait for the lease, in milliseconds. */
  waitMs?: number;
  /** Time that the lease outlives a killed holder, in milliseconds. It is renewed while the work runs. */
  holdMs?: number;
}

/** The pauses between attempts for a lease that another process holds, out of step with other processes' pauses. */
const pauses = { firstMs: 10, longestMs: 200, spread: [0.5, 1.5] } as const;

/** Callers in this process wait here in order, so that only the first one asks the database. */
const localTurns = new KeyedQueue();

/**
 * Runs `work` alone under `key`, across all processes: one member's syncs never overlap (SYNC-35). Callers in one
 * process take turns in order. @returns `work`'s result. Its errors are rethrown; the lease is returned either way.
 * @throws Conflict `busy` if the lease is not free within `waitMs`.
 */
export async function withLease<T>(
  key: string,
  work: (lease: Lease) => Promise<T>,
  { waitMs = 10_000, holdMs = 30_000 }: LeaseOptions = {},
): Promise<T> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(leaseBusy(key)), waitMs);
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

const leaseBusy = (key: string): Conflict =>
  new Conflict('busy', 'This is being worked on right now. Try again in a moment.', { key });

/** Asked for once, since it is a system call. */
const thisProcess = `${hostname()}:${process.pid}`;

async function acquire(key: string, holdMs: number, waiting: AbortSignal): Promise<HeldLease> {
  const owner = `${thisProcess}:${randomUUID()}`;
  for (let failures = 1; ; failures += 1) {
    const askedAt = clock.monotonicMs();
    const fence = await claimLease(key, owner, holdMs);
    if (fence !== undefined) {
      const lease = new HeldLease({ key, owner, fence, holdMs }, askedAt);
      if (!waiting.aborted) return lease;
      await lease.release();
    }
    // An abort ends the pause and is thrown after it.
    await delay(waitAfter(failures, pauses), undefined, { signal: waiting }).catch(() => undefined);
    waiting.throwIfAborted();
  }
}

/** The exclusive right to work on a thing, until `signal` is aborted. */
export interface Lease {
  /**
   * Rises with each lease on the same key. A write that checks it (`{ fence: { $lt: fence } }`) can't overwrite a later
   * holder's data. That holds even if this process, for example suspended, lost its lease unnoticed.
   */
  readonly fence: number;
  /** Aborted when the lease is lost: another process may hold it. */
  readonly signal: AbortSignal;
  /**
   * Throws Conflict `lease_lost` once the lease may have expired, by clock and not by timer. A suspended process calls
   * this before its timers have fired.
   */
  requireHeld(): void;
}

/** The work can't continue: another process may hold the lease now. */
export function leaseLost(key: string): Conflict {
  return new Conflict('lease_lost', 'Another process has taken this over.', { key });
}

/** The leases that this process holds now: they are renewed together. */
const held = new Set<HeldLease>();

/** A lease claimed by this process, renewed three times within `holdMs` until it is released or lost. */
class HeldLease implements Lease {
  readonly fence: number;
  readonly signal: AbortSignal;
  readonly claim: Claim;
  readonly #lost = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  #askedAt: number;
  /** The lease's earliest expiry, counted from the last request, since the answer comes later. */
  #expiresAt = 0;
  #expiry: NodeJS.Timeout | undefined;
  #ended = false;

  /** `askedAt` is the claim's time, by `clock.monotonicMs()`. */
  constructor(claim: Claim, askedAt: number) {
    this.claim = claim;
    this.#askedAt = askedAt;
    this.fence = claim.fence;
    this.signal = this.#lost.signal;
    this.#expireAt(askedAt + claim.holdMs);
    this.#renewal = setInterval(() => void this.#renewIfDue(), claim.holdMs / 3);
    held.add(this);
  }

  /** Whether half the time between two renewals has passed since the last. */
  isRenewable(now: number): boolean {
    return now - this.#askedAt >= this.claim.holdMs / 6;
  }

  noteAsked(now: number): void {
    this.#askedAt = now;
  }

  /** The answer to the renewal asked for at this time. */
  noteRenewed(askedAt: number, isOurs: boolean): void {
    if (this.#ended) return;
    if (isOurs) this.#expireAt(askedAt + this.claim.holdMs);
    else this.#lose();
  }

  requireHeld(): void {
    if (this.#ended || clock.monotonicMs() >= this.#expiresAt) throw leaseLost(this.claim.key);
  }

  /** Returns the lease. If the database is unreachable, the lease expires on its own. */
  async release(): Promise<void> {
    this.#end();
    const { key, owner } = this.claim;
    await releaseLease(key, owner).catch((error) => logger.warn({ err: error, key }, 'lease not released'));
  }

  /** Another lease's renewal may have included this one. */
  async #renewIfDue(): Promise<void> {
    if (this.isRenewable(clock.monotonicMs())) await renewHeld();
  }

  #expireAt(time: number): void {
    clearTimeout(this.#expiry);
    this.#expiresAt = time;
    this.#expiry = setTimeout(() => this.#lose(), time - clock.monotonicMs());
  }

  #lose(): void {
    const { key } = this.claim;
    this.#end();
    logger.warn({ key }, 'lease lost');
    this.#lost.abort(leaseLost(key));
  }

  #end(): void {
    this.#ended = true;
    held.delete(this);
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
  }
}

/** Renews this process's leases in one write, except those that have just been renewed. */
async function renewHeld(): Promise<void> {
  const askedAt = clock.monotonicMs();
  const leases = [...held].filter((lease) => lease.isRenewable(askedAt));
  for (const lease of leases) lease.noteAsked(askedAt);
  try {
    const lost = await renewLeases(leases.map(({ claim }) => claim));
    for (const lease of leases) lease.noteRenewed(askedAt, !lost.has(lease.claim.key));
  } catch (error) {
    logger.warn({ err: error, leases: leases.length }, 'leases not renewed');
  }
}
