import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { releaseLease, renewLease } from './lease-store.js';

/** The right to work on a thing alone, until `signal` is aborted. */
export interface Lease {
  /**
   * Rises with each lease on the same key. A write that checks it (`{ fence: { $lt: fence } }`) can't undo what a later
   * holder wrote, even if this holder lost its lease without noticing, as a suspended process does.
   */
  readonly fence: number;
  /** Aborted when the lease is lost: another process may hold it. */
  readonly signal: AbortSignal;
}

interface Claim {
  key: string;
  owner: string;
  fence: number;
  holdMs: number;
}

/** A lease that this process has claimed, renewed three times within `holdMs` until it is released or lost. */
export class HeldLease implements Lease {
  readonly fence: number;
  readonly signal: AbortSignal;
  readonly #claim: Claim;
  readonly #lost = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  /** When the lease may have run out, counted from when it was last asked for, since the answer comes later. */
  #expiry: NodeJS.Timeout;
  #ended = false;

  /** `askedAt` is when the claim was sent, by `clock.monotonicMs()`. */
  constructor(claim: Claim, askedAt: number) {
    this.#claim = claim;
    this.fence = claim.fence;
    this.signal = this.#lost.signal;
    this.#expiry = this.#expireAt(askedAt + claim.holdMs);
    this.#renewal = setInterval(() => void this.#renew(), claim.holdMs / 3);
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
      clearTimeout(this.#expiry);
      if (isOurs) this.#expiry = this.#expireAt(askedAt + holdMs);
      else this.#lose();
    } catch (error) {
      logger.warn({ err: error, key }, 'lease not renewed');
    }
  }

  #expireAt(time: number): NodeJS.Timeout {
    return setTimeout(() => this.#lose(), time - clock.monotonicMs());
  }

  #lose(): void {
    const { key } = this.#claim;
    this.#end();
    logger.warn({ key }, 'lease lost');
    this.#lost.abort(new Conflict('lease_lost', 'Another process has taken this over.', { key }));
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
  }
}
