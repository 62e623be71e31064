import { type REST, RESTEvents } from 'discord.js';
import { type InvalidRequestGuard, invalidRequestGuard } from './invalid-request-guard.js';
import { currentLane, type Lane } from './lane.js';
import { RateLimitBuckets, reserveShare } from './rate-limit-bucket.js';
import { type RestCall, restCall } from './rest-call.js';

/** The calls of discord.js's REST client that go by lanes. */
export type DiscordRest = Pick<REST, 'get' | 'put' | 'patch' | 'post' | 'delete'>;

type QueuedLane = Exclude<Lane, 'interactive'>;

/** The more urgent one first. */
const queuedLanes = ['single', 'bulk'] as const;

/** How many calls that nobody waits for may be with the REST client at once, over all guilds. */
const mostRunning = 10;

interface QueuedCall extends RestCall {
  start(): void;
  refuse(reason: unknown): void;
}

/** The reads, or the writes, of one guild (or channel): at most one of them that nobody waits for runs at a time. */
interface Queue {
  /** How many run that somebody waits for. */
  interactive: number;
  running: RestCall | undefined;
  single: QueuedCall[];
  bulk: QueuedCall[];
}

/**
 * Priority lanes above discord.js's REST client, whose own queues are first come, first served (SPEC §6.5): what has
 * been handed to it cannot be overtaken. So interactive calls are handed down at once, and of the others only one per
 * guild, when nothing more urgent of that guild waits, when the rate limits leave enough for interactive calls, and in
 * turn between guilds.
 */
export class RequestLanes {
  readonly rest: DiscordRest = {
    get: this.#laned('get'),
    put: this.#laned('put'),
    patch: this.#laned('patch'),
    post: this.#laned('post'),
    delete: this.#laned('delete'),
  };
  readonly #buckets = new RateLimitBuckets();
  /** In the order in which their turn comes; a queue in which nothing happens is not kept. */
  readonly #queues = new Map<string, Queue>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly client: REST,
    readonly guard: InvalidRequestGuard,
  ) {
    guard.watch(client);
    client.on(RESTEvents.Response, ({ method, path }, { status, headers }) => {
      this.#buckets.note(restCall(method, path), status, headers);
      this.#startDue();
    });
  }

  /** How many calls wait in each lane, and how many that nobody waits for have been handed down. */
  get stats(): Record<QueuedLane | 'running', number> {
    const queues = [...this.#queues.values()];
    const waiting = (lane: QueuedLane) => queues.reduce((sum, queue) => sum + queue[lane].length, 0);
    return {
      single: waiting('single'),
      bulk: waiting('bulk'),
      running: queues.filter(({ running }) => running !== undefined).length,
    };
  }

  #laned(verb: keyof DiscordRest): DiscordRest['get'] {
    return (path, options) => this.#run(restCall(verb.toUpperCase(), path), () => this.client[verb](path, options));
  }

  async #run<T>(call: RestCall, send: () => Promise<T>): Promise<T> {
    const { lane, signal } = currentLane();
    signal?.throwIfAborted();
    const obstacle = this.guard.obstacle(call, lane);
    if (obstacle !== undefined) throw obstacle;
    return lane === 'interactive' ? this.#runNow(call, send) : this.#runInTurn(call, lane, signal, send);
  }

  async #runNow<T>(call: RestCall, send: () => Promise<T>): Promise<T> {
    const queue = this.#queueOf(call);
    queue.interactive += 1;
    try {
      return await send();
    } finally {
      queue.interactive -= 1;
      this.#buckets.of(call).noteInteractive();
      this.#startDue();
    }
  }

  async #runInTurn<T>(
    call: RestCall,
    lane: QueuedLane,
    signal: AbortSignal | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    const queue = this.#queueOf(call);
    await this.#turn(queue, call, lane, signal);
    try {
      return await send();
    } finally {
      queue.running = undefined;
      this.#startDue();
    }
  }

  /** Resolves when the call may be handed down; rejects when it must not be any more. */
  #turn(queue: Queue, call: RestCall, lane: QueuedLane, signal: AbortSignal | undefined): Promise<void> {
    const turn = new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue[lane] = queue[lane].filter((other) => other !== queued);
        signal?.removeEventListener('abort', cancel);
      };
      const queued: QueuedCall = {
        ...call,
        start: () => {
          leave();
          queue.running = call;
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      const cancel = () => {
        queued.refuse(signal?.reason);
        this.#startDue();
      };
      signal?.addEventListener('abort', cancel);
      queue[lane].push(queued);
    });
    this.#startDue();
    return turn;
  }

  #queueOf(call: RestCall): Queue {
    const key = `${call.write ? 'write' : 'read'} ${call.resource}`;
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue: Queue = { interactive: 0, running: undefined, single: [], bulk: [] };
    this.#queues.set(key, queue);
    return queue;
  }

  /** Hands down every call that may go now, and comes back when a rate limit lets the next one go. */
  #startDue(): void {
    clearTimeout(this.#timer);
    let wait = Number.POSITIVE_INFINITY;
    for (const lane of queuedLanes) {
      for (const [key, queue] of [...this.#queues]) {
        this.#refuseStopped(queue, lane);
        if (!mayStart(queue, lane)) continue;
        const queueWait = this.#startOne(queue, lane);
        if (queueWait > 0) {
          wait = Math.min(wait, queueWait);
        } else {
          this.#queues.delete(key);
          this.#queues.set(key, queue);
        }
      }
    }
    for (const [key, queue] of this.#queues) if (isIdle(queue)) this.#queues.delete(key);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startDue(), Math.ceil(wait));
  }

  #refuseStopped(queue: Queue, lane: QueuedLane): void {
    for (const call of queue[lane]) {
      const obstacle = this.guard.obstacle(call, lane);
      if (obstacle !== undefined) call.refuse(obstacle);
    }
  }

  /** Starts the first call of the queue that the rate limits let go; else gives the milliseconds until one may. */
  #startOne(queue: Queue, lane: QueuedLane): number {
    let wait = this.#globalWait(lane);
    if (wait > 0) return wait;
    wait = Number.POSITIVE_INFINITY;
    for (const call of queue[lane]) {
      const callWait = this.#buckets.of(call).waitOf(lane);
      if (callWait === 0) {
        call.start();
        return 0;
      }
      wait = Math.min(wait, callWait);
    }
    return wait;
  }

  /**
   * Milliseconds until the limits over all guilds let a call of that lane go: of the calls per second that the REST
   * client allows itself some are always left to interactive calls. What a rate limit holds up in the REST client is
   * not counted as running, so that one guild's wait is not everybody's. Infinite until one of those that run ends.
   */
  #globalWait(lane: QueuedLane): number {
    const { globalRemaining, globalReset, options } = this.client;
    const running = [...this.#queues.values()].filter(({ running: call }) => call && !this.#buckets.of(call).isEmpty);
    if (running.length >= mostRunning) return Number.POSITIVE_INFINITY;
    const left = globalReset - Date.now();
    const reserve = Math.ceil(options.globalRequestsPerSecond * reserveShare[lane]);
    return left < 0 || globalRemaining - running.length > reserve ? 0 : Math.max(1, left);
  }
}

/** Nothing more urgent of the same guild waits or runs. */
function mayStart(queue: Queue, lane: QueuedLane): boolean {
  if (queue[lane].length === 0 || queue.running !== undefined || queue.interactive > 0) return false;
  return lane === 'single' || queue.single.length === 0;
}

function isIdle({ interactive, running, single, bulk }: Queue): boolean {
  return interactive === 0 && running === undefined && single.length + bulk.length === 0;
}

const lanesByClient = new WeakMap<REST, RequestLanes>();

/** The lanes above a REST client, under the guard of this process. */
export function lanesOf(client: REST): RequestLanes {
  const known = lanesByClient.get(client);
  if (known !== undefined) return known;
  const lanes = new RequestLanes(client, invalidRequestGuard());
  lanesByClient.set(client, lanes);
  return lanes;
}
