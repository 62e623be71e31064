import PQueue from 'p-queue';
import type { Dispatcher } from 'undici';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import {
  type ClaimedDelivery,
  claimDelivery,
  exhausted,
  findDue,
  isTooLate,
  settleDelivery,
} from './delivery-claim.js';
import type { Delivery } from './delivery-model.js';
import { type SendingTools, sendDelivery } from './delivery-sending.js';
import { type DeliveryTarget, endImpossible, readTarget } from './delivery-target.js';

/** Maximum concurrent attempts per endpoint, in this process. */
const attemptsAtOnce = 4;
/** A failing endpoint gets one delivery at a time, to see whether it is back. */
const attemptsWhileFailing = 1;

/** How long an endpoint's data is reused: a new secret or a pause takes effect this soon. */
export const snapshotHoldsMs = 1_000;

/** Due deliveries per read; each is then claimed singly. */
const readAhead = 16;

interface EndpointSnapshot {
  target: DeliveryTarget | null;
  due: Delivery[];
  /** When it was read, by `clock.monotonicMs()`. */
  since: number;
}

/** Places for attempts, over all endpoints. Waiting lanes get them in turn, so each endpoint gets its share. */
interface AttemptPools {
  healthy: PQueue;
  /** Separate, since attempts to failing endpoints may hold their places for the full ten seconds. */
  failing: PQueue;
}

export interface LaneTools extends Omit<SendingTools, 'dispatcher'> {
  /** Makes a lane's dispatcher, with at most this many connections to one receiver. */
  connect(connections: number): Dispatcher;
  pools: AttemptPools;
  stopping: AbortSignal;
  /** Called with each retry's due time, as soon as it is stored. */
  onRetry?(at: Date): void;
}

/**
 * Delivers everything due for one endpoint: claims one delivery after another, with a few concurrent attempts. Each
 * endpoint has one lane, so that its claims don't collide and none waits for another endpoint.
 */
export class DeliveryLane {
  readonly #webhookId: string;
  readonly #tools: LaneTools;
  /** The lane's connections. They are reused for its next attempt and end with it. */
  readonly #dispatcher: Dispatcher;
  readonly #places = new PQueue({ concurrency: attemptsAtOnce });
  readonly #claiming = new Set<string>();
  #guildId: string | null = null;
  #snapshot: EndpointSnapshot | undefined;
  #isHeldBack = false;
  #isWoken = false;
  #wakeUp = () => {};

  constructor(webhookId: string, tools: LaneTools) {
    this.#webhookId = webhookId;
    this.#tools = tools;
    this.#dispatcher = tools.connect(attemptsAtOnce);
  }

  /** Whether the lane was woken since its last search for due deliveries. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Whether the endpoint may not be delivered to now, though something may be due. */
  get isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** Makes the lane search again: deliveries may have become due. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  /** Delivers until nothing is due or under way. Never throws. */
  async run(): Promise<void> {
    do {
      this.#isWoken = false;
      while (await this.#startNext());
      if (!this.#isWoken) await Promise.race([this.#places.onIdle(), this.#nextWake()]);
    } while (this.#isWoken && !this.#tools.stopping.aborted);
    await this.#places.onIdle();
    await this.breakOff();
  }

  /** Ends the lane's connections, and so the attempts under way. */
  breakOff(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve;
    });
  }

  /** Waits for a place, claims a due delivery and starts it without waiting. @returns false if none is due. */
  async #startNext(): Promise<boolean> {
    const target = await this.#freshSnapshot().then(
      (snapshot) => snapshot.target,
      (error: unknown) => this.#logFailure(error),
    );
    if (!target) return false;
    const isFailing = target.endpoint.failingSince !== undefined;
    const pool = this.#tools.pools[isFailing ? 'failing' : 'healthy'];
    this.#places.concurrency = isFailing ? attemptsWhileFailing : attemptsAtOnce;
    return new Promise((started) => {
      void this.#places.add(() => pool.add(() => this.#deliverNext(started)));
    });
  }

  async #deliverNext(started: (found: boolean) => void): Promise<void> {
    try {
      const snapshot = await this.#freshSnapshot();
      const { target } = snapshot;
      if (target === null || this.#tools.stopping.aborted) return;
      const due = await this.#nextDue(target, snapshot);
      if (due === undefined) return;
      const claim = this.#claim(due);
      started(true);
      const delivery = await claim;
      if (delivery !== null) await this.#deliver(delivery, target);
    } catch (error) {
      this.#logFailure(error);
    } finally {
      started(false);
    }
  }

  /** A claimed delivery is due again when its lease is over. */
  #logFailure(error: unknown): void {
    logger.error({ err: error, webhookId: this.#webhookId }, 'delivery failed');
  }

  /** The delivery that has been due longest, except those that the lane is claiming already. */
  async #nextDue({ endpoint: { guildId }, suspendedAt }: DeliveryTarget, snapshot: EndpointSnapshot) {
    if (snapshot.due.length === 0) {
      // Deliveries being claimed may be read as they were before the claim, even if it is stored before the answer
      // arrives.
      const claiming = new Set(this.#claiming);
      const found = await findDue({ guildId, webhookId: this.#webhookId, suspendedAt }, this.#tools.now(), readAhead);
      snapshot.due = found.filter(({ _id }) => !claiming.has(_id));
    }
    return snapshot.due.shift();
  }

  #claim(due: Delivery): Promise<ClaimedDelivery | null> {
    this.#claiming.add(due._id);
    return claimDelivery(due, this.#tools.now()).finally(() => this.#claiming.delete(due._id));
  }

  async #deliver(delivery: ClaimedDelivery, target: DeliveryTarget): Promise<void> {
    const now = this.#tools.now();
    if (isTooLate(delivery, now)) return settleDelivery(delivery, null, exhausted, now);
    const { verdict } = await sendDelivery(delivery, target, { ...this.#tools, dispatcher: this.#dispatcher });
    if (verdict.state === 'retrying') this.#tools.onRetry?.(verdict.nextAttemptAt);
  }

  async #freshSnapshot(): Promise<EndpointSnapshot> {
    const since = clock.monotonicMs();
    if (this.#snapshot === undefined || since - this.#snapshot.since > snapshotHoldsMs) {
      this.#guildId ??= await endImpossible(this.#webhookId, this.#tools.now());
      const target = this.#guildId === null ? null : await readTarget(this.#guildId, this.#webhookId);
      this.#snapshot = { target, due: [], since };
      this.#isHeldBack = target === null;
    }
    return this.#snapshot;
  }
}
