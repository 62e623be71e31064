import { type REST, RESTEvents } from 'discord.js';
import { clock } from '../../../lib/clock.js';
import { CallQueue, type QueuedLane, queuedLanes } from './call-queue.js';
import { type InvalidRequestGuard, invalidRequestGuard } from './invalid-request-guard.js';
import { currentLane } from './lane.js';
import { RateLimitBuckets, reserveShare } from './rate-limit-bucket.js';
import { RecentCalls } from './recent-calls.js';
import { type RestCall, restCall } from './rest-call.js';

type Verb = 'get' | 'put' | 'patch' | 'post' | 'delete';

/** The methods of discord.js's REST client that use lanes. */
export interface DiscordRest extends Pick<REST, Verb> {
  /**
   * Waits for the turn of a call of `method` to `path`. Then `send` makes that call, after the call named by `first`.
   * The turn comes when both rate limits have room.
   */
  inTurn<T>(
    method: string,
    path: string,
    send: (client: Pick<REST, Verb>) => Promise<T>,
    first?: { method: string; path: string },
  ): Promise<T>;
  /** Milliseconds until these calls' rate limit has room for one in the lane of the running code. */
  waitOf(method: string, path: string): number;
}

/** Maximum concurrent non-interactive calls in the REST client, over all guilds. */
const mostRunning = 10;

/**
 * Priority lanes above discord.js's REST client (SYNC-37). Its own queues are first come, first served, so a call
 * passed on can't be overtaken. Interactive calls are passed on immediately. Other calls go one per guild, with guilds
 * taking turns. They wait for the guild's more urgent calls, and for rate limits that leave enough for interactive
 * calls.
 */
export class RequestLanes {
  readonly rest: DiscordRest = {
    get: this.#laned('get'),
    put: this.#laned('put'),
    patch: this.#laned('patch'),
    post: this.#laned('post'),
    delete: this.#laned('delete'),
    inTurn: (method, path, send, first) => {
      const call = restCall(method, path);
      return this.#run(first ? { ...call, first: restCall(first.method, first.path) } : call, () => send(this.client));
    },
    waitOf: (method, path) => this.#buckets.of(restCall(method, path)).waitOf(currentLane().lane, this.#answerMs),
  };
  readonly #recent = new RecentCalls();
  readonly #buckets = new RateLimitBuckets();
  readonly #interactive = new Set<RestCall>();
  /** In the order of their turns. Idle queues are dropped. */
  readonly #queues = new Map<string, CallQueue>();
  /** Signals already listened to: when one aborts, the queues are searched. */
  readonly #heeded = new WeakSet<AbortSignal>();
  /** Discord's answer time. It rises slowly, so that waits for a rate limit don't count. */
  #answerMs = 100;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly client: REST,
    readonly guard: InvalidRequestGuard,
  ) {
    guard.watch(client);
    client.on(RESTEvents.Response, ({ method, path, data }, { status, headers }) => {
      // Answers to interactions need no token and don't count in the global limit.
      if (data.auth) this.#recent.note();
      this.#buckets.note(restCall(method, path), status, headers);
      this.#startDue();
    });
  }

  /** The number of waiting calls in each lane, and of non-interactive calls already passed on. */
  get stats(): Record<QueuedLane | 'running', number> {
    const queues = [...this.#queues.values()];
    const waiting = (lane: QueuedLane) => queues.reduce((sum, queue) => sum + queue.waiting(lane).length, 0);
    const running = queues.filter((queue) => queue.running !== undefined).length;
    return { single: waiting('single'), bulk: waiting('bulk'), running };
  }

  #laned(verb: Verb): REST['get'] {
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
    this.#interactive.add(call);
    const answered = this.#buckets.of(call).noteInteractive();
    try {
      return await send();
    } finally {
      queue.interactive -= 1;
      this.#interactive.delete(call);
      answered();
      this.#startDue();
    }
  }

  async #runInTurn<T>(
    call: RestCall,
    lane: QueuedLane,
    signal: AbortSignal | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    if (signal !== undefined) this.#heed(signal);
    const queue = this.#queueOf(call);
    const turn = queue.turn(call, lane, signal);
    this.#startDue();
    try {
      await turn;
      const startedAt = clock.monotonicMs();
      try {
        return await send();
      } finally {
        queue.running = undefined;
        this.#answerMs = Math.min(clock.monotonicMs() - startedAt, this.#answerMs * 1.1);
      }
    } finally {
      this.#startDue();
    }
  }

  #heed(signal: AbortSignal): void {
    if (this.#heeded.has(signal)) return;
    this.#heeded.add(signal);
    signal.addEventListener('abort', () => {
      for (const queue of this.#queues.values()) queue.refuseAborted();
      this.#startDue();
    });
  }

  #queueOf(call: RestCall): CallQueue {
    const key = `${call.write ? 'write' : 'read'} ${call.resource}`;
    const queue = this.#queues.get(key) ?? new CallQueue();
    this.#queues.set(key, queue);
    return queue;
  }

  /** Passes on every call that may go now, and runs again when a rate limit allows the next one. */
  #startDue(): void {
    clearTimeout(this.#timer);
    let wait = Number.POSITIVE_INFINITY;
    for (const lane of queuedLanes) {
      for (const [key, queue] of [...this.#queues]) {
        this.#refuseStopped(queue, lane);
        if (!queue.mayStart(lane)) continue;
        const queueWait = this.#startOne(queue, lane);
        if (queueWait > 0) wait = Math.min(wait, queueWait);
        else this.#toTheEnd(key, queue);
      }
    }
    for (const [key, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(key);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startDue(), Math.ceil(wait));
  }

  #toTheEnd(key: string, queue: CallQueue): void {
    this.#queues.delete(key);
    this.#queues.set(key, queue);
  }

  #refuseStopped(queue: CallQueue, lane: QueuedLane): void {
    const [call] = queue.waiting(lane);
    const obstacle = call && this.guard.obstacle(call, lane);
    if (obstacle !== undefined) queue.refuse(lane, obstacle);
  }

  /**
   * Starts the queue's first call that the rate limits allow; otherwise returns the milliseconds until one may start.
   */
  #startOne(queue: CallQueue, lane: QueuedLane): number {
    const globalWait = this.#globalWait(lane);
    if (globalWait > 0) return globalWait;
    let wait = Number.POSITIVE_INFINITY;
    for (const call of queue.foremost(lane)) {
      const callWait = Math.max(
        ...[call, call.first ?? call].map((one) => this.#buckets.of(one).waitOf(lane, this.#answerMs)),
      );
      wait = Math.min(wait, callWait);
      if (callWait > 0) continue;
      call.start();
      break;
    }
    return wait;
  }

  /**
   * Milliseconds until the limits over all guilds allow a call of that lane. Some of the REST client's calls per second
   * are always left to interactive calls. A call waiting for a rate limit in the REST client doesn't count as in
   * progress, so one guild's wait delays no other. Infinite until a running call ends.
   */
  #globalWait(lane: QueuedLane): number {
    const { globalRemaining, globalReset, options } = this.client;
    const running = this.#underWay([...this.#queues.values()].flatMap((queue) => queue.running ?? []));
    if (running >= mostRunning) return Number.POSITIVE_INFINITY;
    const reserve = Math.ceil(options.globalRequestsPerSecond * reserveShare[lane]);
    const left = globalRemaining > reserve ? 0 : Math.max(0, globalReset - clock.machineTime().getTime());
    const unanswered = running + this.#underWay(this.#interactive);
    return Math.max(left, this.#recent.waitOf(options.globalRequestsPerSecond - reserve, unanswered));
  }

  /** The number of these calls that Discord has not answered: the REST client sends those of one bucket one by one. */
  #underWay(calls: Iterable<RestCall>): number {
    const buckets = new Set(Array.from(calls, (call) => this.#buckets.of(call)));
    return [...buckets].filter((bucket) => !bucket.isEmpty).length;
  }
}

const lanesByClient = new WeakMap<REST, RequestLanes>();

/** The lanes above a REST client, under this process's guard. */
export function lanesOf(client: REST): RequestLanes {
  const lanes = lanesByClient.get(client) ?? new RequestLanes(client, invalidRequestGuard());
  lanesByClient.set(client, lanes);
  return lanes;
}
