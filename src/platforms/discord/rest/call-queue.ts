import type { Lane } from './lane.js';
import type { RestCall } from './rest-call.js';

export type QueuedLane = Exclude<Lane, 'interactive'>;

/** The more urgent one first. */
export const queuedLanes = ['single', 'bulk'] as const;

interface QueuedCall extends RestCall {
  /** Aborted when the call is no longer needed. */
  signal: AbortSignal | undefined;
  start(): void;
  refuse(reason: unknown): void;
}

/**
 * The waiting reads, or the waiting writes, of one guild or channel. Non-interactive calls are passed on one at a time.
 */
export class CallQueue {
  interactive = 0;
  running: RestCall | undefined;
  #waiting: Record<QueuedLane, QueuedCall[]> = { single: [], bulk: [] };

  /** The calls that wait in a lane, oldest first. */
  waiting(lane: QueuedLane): readonly QueuedCall[] {
    return this.#waiting[lane];
  }

  /** The oldest waiting call of each endpoint in a lane, oldest first: the candidates to go next. */
  *foremost(lane: QueuedLane): Generator<QueuedCall> {
    const endpoints = new Set<string>();
    for (const call of this.#waiting[lane]) {
      if (endpoints.has(call.endpoint)) continue;
      endpoints.add(call.endpoint);
      yield call;
    }
  }

  refuse(lane: QueuedLane, reason: unknown): void {
    for (const call of this.#waiting[lane]) call.refuse(reason);
  }

  /** Rejects the calls with an aborted signal, with its reason. */
  refuseAborted(): void {
    for (const call of queuedLanes.flatMap((lane) => this.#waiting[lane])) {
      if (call.signal?.aborted) call.refuse(call.signal.reason);
    }
  }

  /** Whether the same guild has no more urgent call waiting or running. */
  mayStart(lane: QueuedLane): boolean {
    const { single } = this.#waiting;
    if (this.running !== undefined || this.interactive > 0) return false;
    return this.#waiting[lane].length > 0 && (lane === 'single' || single.length === 0);
  }

  get isIdle(): boolean {
    const { single, bulk } = this.#waiting;
    return this.interactive === 0 && this.running === undefined && single.length + bulk.length === 0;
  }

  /** Resolves when the call may start; rejects when it is refused. */
  turn(call: RestCall, lane: QueuedLane, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting[lane] = this.#waiting[lane].filter((other) => other !== queued);
      };
      const start = () => {
        leave();
        this.running = call;
        resolve();
      };
      const refuse = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const queued = { ...call, signal, start, refuse };
      this.#waiting[lane].push(queued);
    });
  }
}
