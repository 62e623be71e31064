import { type REST, RESTEvents } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { config, processesOf } from '../../../config/config.js';
import { clock } from '../../../lib/clock.js';
import { ChatPlatformUnavailable } from '../../../lib/errors.js';
import { currentLane, type Lane, lanes } from '../../../lib/lane.js';
import { logger } from '../../../lib/logger.js';
import { SlidingCount } from '../../../lib/sliding-count.js';
import { type RestCall, restCall } from './rest-call.js';

/** Discord bans an address that makes 10,000 invalid requests in 10 minutes (Discord's rate-limit documentation). */
const banAt = 10_000;
const windowSeconds = 600;

/** The share of the ban's number at which each lane stops. Answers to interactions bypass this and always go out. */
const stopShare: Readonly<Record<Lane, number>> = { press: 0.9, join: 0.9, single: 0.5, read: 0.5, bulk: 0.25 };

/**
 * After 10 forbidden bulk writes in a row in a guild within the window, they stop there, except for occasional trials.
 */
const forbiddenAt = 10;
const trialEveryMs = 10_000;

interface Forbidding {
  writes: SlidingCount;
  /** The next trial's time, by `clock.monotonicMs()`. */
  trialAt: number;
}

const invalidStatuses = [401, 403, 429] as const;
type InvalidStatus = (typeof invalidStatuses)[number];

/** A call held back by ourselves, for Discord's ban, as others go first, or as Discord puts it off. */
export class HeldBack extends ChatPlatformUnavailable {
  constructor(
    message: string,
    /** Seconds until another attempt makes sense. */
    readonly retryAfterSeconds: number,
    readonly reason: 'invalid_requests' | 'guild_forbids' | 'calls_wait',
  ) {
    super(message, undefined, { retryAfterSeconds, reason });
  }
}

export interface InvalidRequestStats {
  /** In the last ten minutes. */
  recent: number;
  /** The number that this process must never reach. */
  allowance: number;
  /** Since boot. */
  byStatus: Readonly<Record<InvalidStatus, number>>;
  stoppedLanes: Lane[];
}

/**
 * Keeps the process clear of Discord's ban for invalid requests (SYNC-45). It counts the answers 401, 403 and 429
 * (except 429 with scope `shared`) in the last ten minutes. Bulk work stops early and the rest later; calls resume as
 * the window slides. Bulk writes stop much sooner in a guild that keeps forbidding them. Single members are refused for
 * their own reasons, so one successful write lets the guild continue.
 */
export class InvalidRequestGuard {
  readonly #recent = new SlidingCount(windowSeconds);
  readonly #byStatus: Record<InvalidStatus, number> = { 401: 0, 403: 0, 429: 0 };
  readonly #forbidden = new LRUCache<string, Forbidding>({
    max: 10_000,
    memoMethod: () => ({ writes: new SlidingCount(windowSeconds), trialAt: 0 }),
  });
  #stopped = '';

  /** `allowance`: this process's share of the invalid requests that lead to the ban. */
  constructor(readonly allowance: number) {}

  /** Counts every answer that the client gets. */
  watch(client: REST): void {
    client.on(RESTEvents.Response, ({ method, path }, { status, headers }) => {
      if (status < 300) this.#noteSuccess(restCall(method, path));
      const invalid = invalidStatuses.find((each) => each === status);
      if (invalid === undefined || (invalid === 429 && headers.get('x-ratelimit-scope') === 'shared')) return;
      this.#note(restCall(method, path), invalid);
    });
  }

  /** Why a call in that lane is held back now, if it is. */
  obstacle(call: RestCall, lane: Lane): HeldBack | undefined {
    const { guildId, write } = call;
    const wait = this.#recent.secondsUntilBelow(this.#stopsAt(lane));
    if (wait > 0) {
      return new HeldBack('Too many requests to Discord were refused lately; this waits.', wait, 'invalid_requests');
    }
    if (lane !== 'bulk' || !write || guildId === undefined) return undefined;
    const forbidding = this.#forbidden.get(guildId);
    const removalLimit = forbidding?.writes.secondsUntilBelow(forbiddenAt) ?? 0;
    if (forbidding === undefined || removalLimit === 0 || call.isTrial) return undefined;
    const untilTrialMs = forbidding.trialAt - clock.monotonicMs();
    if (untilTrialMs <= 0) {
      forbidding.trialAt = clock.monotonicMs() + trialEveryMs;
      call.isTrial = true;
      return undefined;
    }
    return new HeldBack(
      'Discord keeps refusing changes in this server for want of permission.',
      Math.min(removalLimit, Math.ceil(untilTrialMs / 1_000)),
      'guild_forbids',
    );
  }

  /** Lets a guild's bulk writes continue after a change to its roles or permissions. */
  forgiveGuild(guildId: string): void {
    this.#forbidden.delete(guildId);
  }

  get stats(): InvalidRequestStats {
    const { allowance } = this;
    return {
      recent: this.#recent.total,
      allowance,
      byStatus: { ...this.#byStatus },
      stoppedLanes: this.#stoppedLanes(),
    };
  }

  #note({ guildId, write }: RestCall, status: InvalidStatus): void {
    this.#recent.add();
    this.#byStatus[status] += 1;
    if (status === 403 && write && guildId !== undefined && currentLane().lane === 'bulk') {
      const forbidding = this.#forbidden.memo(guildId);
      forbidding.writes.add();
      if (forbidding.writes.total === forbiddenAt) forbidding.trialAt = clock.monotonicMs() + trialEveryMs;
    }
    this.#tell();
  }

  #noteSuccess({ guildId, write }: RestCall): void {
    if (write && guildId !== undefined) this.#forbidden.delete(guildId);
  }

  #stopsAt(lane: Lane): number {
    return Math.floor(this.allowance * stopShare[lane]);
  }

  #stoppedLanes(): Lane[] {
    const recent = this.#recent.total;
    return [...lanes].reverse().filter((lane) => recent >= this.#stopsAt(lane));
  }

  /** Logs when another lane stops. */
  #tell(): void {
    const stopped = this.#stoppedLanes().join(', ');
    if (stopped.length > this.#stopped.length) {
      logger.error(
        { recent: this.#recent.total, allowance: this.allowance },
        `too many invalid requests: ${stopped} stops`,
      );
    }
    this.#stopped = stopped;
  }
}

let guard: InvalidRequestGuard | undefined;

/**
 * This process's guard. Discord counts by address, which processes with other shards may share, so each uses its own
 * part.
 */
export function invalidRequestGuard(): InvalidRequestGuard {
  guard ??= new InvalidRequestGuard(Math.floor(banAt / processesOf(config().shards)));
  return guard;
}

export function invalidRequestStats(): InvalidRequestStats {
  return invalidRequestGuard().stats;
}
