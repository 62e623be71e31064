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

/** How many attempts one endpoint has under way at most, in this process. */
const attemptsAtOnce = 4;
/** One that keeps failing is asked by one delivery at a time, whether it is there again. */
const attemptsWhileFailing = 1;

/** How long what is known of an endpoint and its guild holds: so soon is a new secret used, or a pause heeded. */
const outlookHoldsMs = 1_000;

/** How many due deliveries are read at once, to be claimed one by one. */
const readAhead = 16;

/** What a lane knows of its endpoint, for as long as that holds. */
interface Outlook {
  target: DeliveryTarget | null;
  /** Deliveries that were due. */
  due: Delivery[];
  /** By `clock.monotonicMs()`. */
  since: number;
}

/** Places for attempts, over all endpoints. Who waits gets one in turn: so each endpoint gets its share. */
interface AttemptPools {
  healthy: PQueue;
  /** Apart from the others, as these may hold their places for the full ten seconds. */
  failing: PQueue;
}

export interface LaneTools extends Omit<SendingTools, 'dispatcher'> {
  /** Makes what the lane connects by: at most so many connections to one receiver. */
  connect(connections: number): Dispatcher;
  pools: AttemptPools;
  stopping: AbortSignal;
}

/**
 * Delivers what is due of one endpoint: one claim after the other, a few attempts at once. There is one lane an
 * endpoint, so that its claims do not get into each other's way, and none waits for those of another.
 */
export class DeliveryLane {
  readonly #webhookId: string;
  readonly #tools: LaneTools;
  /** Its connections are kept for its next attempt, and end with it. */
  readonly #dispatcher: Dispatcher;
  readonly #places = new PQueue({ concurrency: attemptsAtOnce });
  /** Deliveries that an attempt of the lane is just claiming. */
  readonly #claiming = new Set<string>();
  #guildId: string | null = null;
  #outlook: Outlook | undefined;
  #nextRetryAt: Date | undefined;
  #isHeldBack = false;
  #isWoken = false;
  #wakeUp = () => {};

  constructor(webhookId: string, tools: LaneTools) {
    this.#webhookId = webhookId;
    this.#tools = tools;
    this.#dispatcher = tools.connect(attemptsAtOnce);
  }

  /** Whether it has been woken since it last looked for something due. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Whether nothing could be delivered, although it may be due. */
  get isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** Something may have become due since it last looked. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  /** Delivers until nothing is due or under way. @returns when the first of its retries is due. Never throws. */
  async run(): Promise<Date | undefined> {
    do {
      this.#isWoken = false;
      while (await this.#startNext());
      if (!this.#isWoken) await Promise.race([this.#places.onIdle(), this.#nextWake()]);
    } while (this.#isWoken && !this.#tools.stopping.aborted);
    await this.#places.onIdle();
    await this.breakOff();
    return this.#nextRetryAt;
  }

  /** Ends its connections, and so the attempts under way. */
  breakOff(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve;
    });
  }

  /** Waits for a place, then takes a due delivery and goes on with it by itself. @returns false when none is due. */
  async #startNext(): Promise<boolean> {
    const target = await this.#freshOutlook().then(
      (outlook) => outlook.target,
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
      const outlook = await this.#freshOutlook();
      const { target } = outlook;
      if (target === null || this.#tools.stopping.aborted) return;
      const due = await this.#nextDue(target, outlook);
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

  /** What was claimed is due again when its lease is over. */
  #logFailure(error: unknown): void {
    logger.error({ err: error, webhookId: this.#webhookId }, 'delivery failed');
  }

  /** The delivery that has been due longest, beside those that the lane is claiming already. */
  async #nextDue({ endpoint: { guildId }, suspendedAt }: DeliveryTarget, outlook: Outlook) {
    if (outlook.due.length === 0) {
      // Those may be read as they were before their claim, even if it is stored by the time that the answer is here.
      const claiming = new Set(this.#claiming);
      const found = await findDue({ guildId, webhookId: this.#webhookId, suspendedAt }, this.#tools.now(), readAhead);
      outlook.due = found.filter(({ _id }) => !claiming.has(_id));
    }
    return outlook.due.shift();
  }

  #claim(due: Delivery): Promise<ClaimedDelivery | null> {
    this.#claiming.add(due._id);
    return claimDelivery(due, this.#tools.now()).finally(() => this.#claiming.delete(due._id));
  }

  async #deliver(delivery: ClaimedDelivery, target: DeliveryTarget): Promise<void> {
    const now = this.#tools.now();
    if (isTooLate(delivery, now)) return settleDelivery(delivery, null, exhausted, now);
    const { verdict } = await sendDelivery(delivery, target, { ...this.#tools, dispatcher: this.#dispatcher });
    if (verdict.state === 'retrying') this.#noteRetry(verdict.nextAttemptAt);
  }

  async #freshOutlook(): Promise<Outlook> {
    const since = clock.monotonicMs();
    if (this.#outlook === undefined || since - this.#outlook.since > outlookHoldsMs) {
      this.#guildId ??= await endImpossible(this.#webhookId, this.#tools.now());
      const target = this.#guildId === null ? null : await readTarget(this.#guildId, this.#webhookId);
      this.#outlook = { target, due: [], since };
      this.#isHeldBack = target === null;
    }
    return this.#outlook;
  }

  #noteRetry(at: Date): void {
    if (this.#nextRetryAt === undefined || at < this.#nextRetryAt) this.#nextRetryAt = at;
  }
}
