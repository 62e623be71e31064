import { type REST, RESTEvents } from 'discord.js';
import { clock } from '../../../lib/clock.js';
import { byLane, currentLane, isUrgent, type Lane, lanes } from '../../../lib/lane.js';
import { CallQueue, type QueuedCall } from './call-queue.js';
import { CallWaits } from './call-waits.js';
import { type InvalidRequestGuard, invalidRequestGuard } from './invalid-request-guard.js';
import { endingInTime, patience, patiently, tooSlow, unhurried } from './patience.js';
import { type RateLimitBucket, RateLimitBuckets, reserveShare } from './rate-limit-bucket.js';
import { RecentCalls } from './recent-calls.js';
import { type RestCall, restCall } from './rest-call.js';

type Verb = 'get' | 'put' | 'patch' | 'post' | 'delete';

/** The methods in discord.js's REST client that use lanes. */
export interface DiscordRest extends Pick<REST, Verb> {
  /**
   * Waits for the turn to call `method` on `path`. Then `send` makes that call, after the call named by `first`. The
   * turn comes when both rate limits have room.
   */
  inTurn<T>(
    method: string,
    path: string,
    send: (client: Pick<REST, Verb>) => Promise<T>,
    first?: { method: string; path: string },
  ): Promise<T>;
  /** Milliseconds until these calls' rate limit has room for one in the running code's lane. */
  waitOf(method: string, path: string): number;
}

/** Maximum concurrent calls that nobody waits for, over all guilds. */
const mostRunning = 10;
/** Milliseconds after which a lane without a call, over all guilds, is due whatever is more urgent. */
const passedOverMs = 1_000;
/** Milliseconds for which a request over HTTP waits for a read (API-176). */
const longestReadMs = 2_000;

/** Calls in each lane, and waits in milliseconds. */
export interface LaneStats {
  waiting: Record<Lane, number>;
  /** Passed on and not answered. */
  running: number;
  /** The longest waits in the last minute, and until now. */
  longestMs: Record<Lane, number>;
}

/**
 * Priority lanes above discord.js's REST client (SYNC-37). Its own queues are first come, first served, so a call
 * passed on can't be overtaken. So each bucket's calls are passed on one at a time, and only when the rate limits have
 * room: the more urgent lane first, guilds taking turns. A lane that was passed over for a window is due once.
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
  /** In turn order. Idle queues are dropped. */
  readonly #queues = new Map<RateLimitBucket, CallQueue>();
  /** When each lane last started, by `clock.monotonicMs()`. */
  readonly #servedAt: Partial<Record<Lane, number>> = {};
  readonly #waits = new CallWaits();
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

  get stats(): LaneStats {
    const waits = this.#waits.byLane;
    const queues = [...this.#queues.values()];
    return {
      waiting: byLane((lane) => queues.reduce((sum, queue) => sum + queue.waiting(lane).length, 0)),
      running: queues.filter(({ running }) => running !== undefined).length,
      longestMs: byLane((lane) => Math.max(waits[lane], ...queues.map((queue) => queue.waitedMs(lane)))),
    };
  }

  /**
   * The longest wait among a guild's calls, in milliseconds: in the last minute, and until now. Bulk work doesn't
   * count.
   */
  waitOfGuild(guildId: string): number {
    const now = [...this.#queues.values()].flatMap((queue) =>
      lanes.flatMap((lane) =>
        lane !== 'bulk' && queue.waiting(lane)[0]?.guildId === guildId ? queue.waitedMs(lane) : [],
      ),
    );
    return Math.max(this.#waits.ofGuild(guildId), ...now);
  }

  #laned(verb: Verb): REST['get'] {
    return (path, options) =>
      this.#run(restCall(verb.toUpperCase(), path), () => this.client[verb](path, endingInTime(options)));
  }

  async #run<T>(call: RestCall, send: () => Promise<T>): Promise<T> {
    const { lane, signal, isAwaited } = currentLane();
    const since = clock.monotonicMs();
    signal?.throwIfAborted();
    const obstacle = this.guard.obstacle(call, lane);
    if (obstacle !== undefined) throw obstacle;
    if (signal !== undefined) this.#heed(signal);
    const answered = isUrgent(lane) ? this.#buckets.of(call).noteUrgent() : () => undefined;
    const queue = this.#queueOf(call);
    try {
      await this.#awaitTurn(queue, call);
      const startedAt = clock.monotonicMs();
      try {
        return await (isAwaited ? patiently(since, send) : unhurried(send));
      } finally {
        queue.running = undefined;
        this.#answerMs = Math.min(clock.monotonicMs() - startedAt, this.#answerMs * 1.1);
      }
    } finally {
      answered();
      this.#startDue();
    }
  }

  async #awaitTurn(queue: CallQueue, call: RestCall): Promise<void> {
    const { lane, signal, isAwaited } = currentLane();
    const since = clock.monotonicMs();
    const isRead = lane === 'read' && !call.write;
    const longestMs = isRead ? longestReadMs : isAwaited ? patience.longestMs : patience.ofWorkMs;
    const { turn, queued } = queue.add(call, lane, signal);
    this.#startDue();
    // The lane leaves a reserve to more urgent calls, so that its own wait may be longer than the window's.
    const refuse = () => queued.refuse(tooSlow(Math.max(this.#waitFor(call, lane), passedOverMs)));
    if (this.#waitFor(call, 'press') > longestMs) refuse();
    const timer = isRead || isAwaited ? setTimeout(refuse, longestMs) : undefined;
    try {
      await turn;
    } finally {
      clearTimeout(timer);
      this.#waits.note(lane, call.guildId, clock.monotonicMs() - since);
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
    const bucket = this.#buckets.of(call);
    const queue = this.#queues.get(bucket) ?? new CallQueue();
    this.#queues.set(bucket, queue);
    return queue;
  }

  /** Passes on every call that may go now, and runs again when a rate limit or a turn allows the next one. */
  #startDue(): void {
    clearTimeout(this.#timer);
    for (const queue of this.#queues.values()) for (const lane of lanes) this.#refuseStopped(queue, lane);
    const order = this.#lanesInOrder();
    const waits = [...this.#passOn(order, true), ...this.#passOn(order, false)];
    for (const [bucket, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(bucket);
    const wait = Math.min(...waits);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#startDue(), Math.ceil(wait));
  }

  /** The lanes by urgency, after those that wait without a call for any guild. */
  #lanesInOrder(): { lane: Lane; isDue: boolean }[] {
    const now = clock.monotonicMs();
    const queues = [...this.#queues.values()];
    const passedOver = (lane: Lane) =>
      Math.min(Math.max(0, ...queues.map((queue) => queue.waitedMs(lane))), now - (this.#servedAt[lane] ?? 0));
    const order = lanes.map((lane) => ({ lane, isDue: passedOver(lane) >= passedOverMs }));
    return [...order.filter(({ isDue }) => isDue), ...order.filter(({ isDue }) => !isDue)];
  }

  /**
   * Starts each lane's calls whose turn it is in their queue. With `isLate` the turn is the lane's that was passed over
   * for a window in its bucket. @returns the milliseconds until others may start
   */
  #passOn(order: readonly { lane: Lane; isDue: boolean }[], isLate: boolean): number[] {
    const waits: number[] = [];
    for (const { lane, isDue } of order) {
      for (const [bucket, queue] of [...this.#queues]) {
        const [call] = queue.waiting(lane);
        if (queue.running !== undefined || call === undefined) continue;
        const lateInMs = Math.max(passedOverMs, bucket.windowMs) - queue.passedOver(lane);
        if (lateInMs > 0) waits.push(lateInMs);
        const isTurn = isLate ? lateInMs <= 0 && queue.mostPassedOver === lane : queue.isTurnOf(lane);
        if (!isTurn) continue;
        const wait = Math.max(this.#globalWait(lane, isDue), this.#waitFor(call, isLate ? 'press' : lane));
        if (wait > 0) waits.push(wait);
        else this.#start(bucket, queue, lane, call);
      }
    }
    return waits;
  }

  #start(bucket: RateLimitBucket, queue: CallQueue, lane: Lane, call: QueuedCall): void {
    this.#servedAt[lane] = clock.monotonicMs();
    call.start();
    this.#queues.delete(bucket);
    this.#queues.set(bucket, queue);
  }

  #refuseStopped(queue: CallQueue, lane: Lane): void {
    const [call] = queue.waiting(lane);
    const obstacle = call && this.guard.obstacle(call, lane);
    if (obstacle !== undefined) queue.refuse(lane, obstacle);
  }

  /** Milliseconds until a call's buckets have room for it in a lane. */
  #waitFor(call: RestCall, lane: Lane): number {
    const calls = call.first === undefined ? [call] : [call, call.first];
    return Math.max(...calls.map((one) => this.#buckets.of(one).waitOf(lane, this.#answerMs)));
  }

  /**
   * Milliseconds until the limits over all guilds allow a call in that lane; `isDue`: its reserve doesn't count. Some
   * REST client calls per second are always left to urgent lanes. A call waiting for a rate limit in the REST client
   * doesn't count as in progress, so one guild's wait delays no other. Infinite until a running call ends.
   */
  #globalWait(lane: Lane, isDue: boolean): number {
    const { globalRemaining, globalReset, options } = this.client;
    const running = this.#underWay();
    if (!isUrgent(lane) && running.patient >= mostRunning) return Number.POSITIVE_INFINITY;
    const reserve = isDue ? 0 : Math.ceil(options.globalRequestsPerSecond * reserveShare[lane]);
    const left = globalRemaining > reserve ? 0 : Math.max(0, globalReset - clock.machineTime().getTime());
    return Math.max(left, this.#recent.waitOf(options.globalRequestsPerSecond - reserve, running.all));
  }

  /** How many passed-on calls Discord has not answered, and how many nobody waits for. */
  #underWay(): { all: number; patient: number } {
    const running = [...this.#queues].flatMap(([bucket, queue]) => (bucket.isEmpty ? [] : (queue.running ?? [])));
    return { all: running.length, patient: running.filter((lane) => !isUrgent(lane)).length };
  }
}

const lanesByClient = new WeakMap<REST, RequestLanes>();

/** The lanes above a REST client, under this process's guard. */
export function lanesOf(client: REST): RequestLanes {
  const lanes = lanesByClient.get(client) ?? new RequestLanes(client, invalidRequestGuard());
  lanesByClient.set(client, lanes);
  return lanes;
}
