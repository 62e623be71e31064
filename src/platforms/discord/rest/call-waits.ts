import { LRUCache } from 'lru-cache';
import { clock } from '../../../lib/clock.js';
import { byLane, type Lane } from '../../../lib/lane.js';
import { minuteMs } from '../../../lib/time.js';

/** The last minute's longest wait: its length, and its end by `clock.monotonicMs()`. */
interface Longest {
  ms: number;
  endedAt: number;
}

const none: Longest = { ms: 0, endedAt: Number.NEGATIVE_INFINITY };

const longer = (known: Longest, ms: number): Longest =>
  ms >= known.ms || isOver(known) ? { ms, endedAt: clock.monotonicMs() } : known;

const isOver = ({ endedAt }: Longest): boolean => endedAt < clock.monotonicMs() - minuteMs;

const msOf = (longest: Longest): number => (isOver(longest) ? 0 : longest.ms);

/** The longest waits of calls to Discord for their turn in the last minute, by lane and by guild (SYNC-139). */
export class CallWaits {
  readonly #byLane = new Map<Lane, Longest>();
  readonly #byGuild = new LRUCache<string, Longest>({ max: 10_000 });

  /** Notes a wait's end. Bulk work is meant to wait, so it doesn't count for its guild. */
  note(lane: Lane, guildId: string | undefined, ms: number): void {
    this.#byLane.set(lane, longer(this.#byLane.get(lane) ?? none, ms));
    if (guildId !== undefined && lane !== 'bulk' && ms > 0)
      this.#byGuild.set(guildId, longer(this.#byGuild.get(guildId) ?? none, ms));
  }

  /** Milliseconds, by lane. */
  get byLane(): Record<Lane, number> {
    return byLane((lane) => msOf(this.#byLane.get(lane) ?? none));
  }

  /** Milliseconds for which a call for this guild waited. */
  ofGuild(guildId: string): number {
    return msOf(this.#byGuild.get(guildId) ?? none);
  }
}
