import { clock } from '../../../lib/clock.js';
import { type Lane, lanes } from '../../../lib/lane.js';
import type { RestCall } from './rest-call.js';

export interface QueuedCall extends RestCall {
  /** Aborted when the call is no longer needed. */
  signal: AbortSignal | undefined;
  /** Since when it waits, by `clock.monotonicMs()`. */
  since: number;
  start(): void;
  refuse(reason: unknown): void;
}

/** The waiting calls in a Discord bucket. The REST client sends these one by one, so they are passed on so. */
export class CallQueue {
  /** The passed-on, unanswered call's lane. */
  running: Lane | undefined;
  /** When each lane last started, by `clock.monotonicMs()`. */
  readonly #servedAt: Partial<Record<Lane, number>> = {};
  #waiting: Record<Lane, QueuedCall[]> = { press: [], join: [], single: [], read: [], bulk: [] };

  /** The calls that wait in a lane, oldest first. */
  waiting(lane: Lane): readonly QueuedCall[] {
    return this.#waiting[lane];
  }

  /** Milliseconds for which a lane's oldest call has waited; 0 without any. */
  waitedMs(lane: Lane): number {
    const [oldest] = this.#waiting[lane];
    return oldest === undefined ? 0 : clock.monotonicMs() - oldest.since;
  }

  /** Milliseconds for which a lane with waiting calls has been passed over; 0 without any. */
  passedOver(lane: Lane): number {
    return Math.min(this.waitedMs(lane), clock.monotonicMs() - (this.#servedAt[lane] ?? 0));
  }

  /** The lane that has been passed over longest. */
  get mostPassedOver(): Lane {
    return lanes.reduce((one, other) => (this.passedOver(other) > this.passedOver(one) ? other : one));
  }

  /** Rejects a lane's calls. */
  refuse(lane: Lane, reason: unknown): void {
    for (const call of this.#waiting[lane]) call.refuse(reason);
  }

  /** Rejects the calls with an aborted signal, with its reason. */
  refuseAborted(): void {
    for (const call of lanes.flatMap((lane) => this.#waiting[lane])) {
      if (call.signal?.aborted) call.refuse(call.signal.reason);
    }
  }

  /** Whether a call in the lane waits, and no more urgent one. */
  isTurnOf(lane: Lane): boolean {
    return lanes.find((each) => this.#waiting[each].length > 0) === lane;
  }

  get isIdle(): boolean {
    return this.running === undefined && lanes.every((lane) => this.#waiting[lane].length === 0);
  }

  /** Adds a call. `turn` resolves when it may start, and rejects when it is refused. */
  add(call: RestCall, lane: Lane, signal: AbortSignal | undefined): { queued: QueuedCall; turn: Promise<void> } {
    let resolve = () => {};
    let reject: (reason: unknown) => void = resolve;
    const turn = new Promise<void>((...ends) => {
      [resolve, reject] = ends;
    });
    const leave = () => {
      this.#waiting[lane] = this.#waiting[lane].filter((other) => other !== queued);
    };
    const start = () => {
      leave();
      this.running = lane;
      this.#servedAt[lane] = clock.monotonicMs();
      resolve();
    };
    const refuse = (reason: unknown) => {
      leave();
      reject(reason);
    };
    const queued = { ...call, signal, since: clock.monotonicMs(), start, refuse };
    this.#waiting[lane].push(queued);
    return { queued, turn };
  }
}
