import { randomInt } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';

/** Discord counts milliseconds from the first second of 2015. */
const discordEpoch = 1_420_070_400_000;
const workers = 1024;
const idsPerMillisecond = 4096;
const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Each source in a process gets its own worker bits, so that two sandboxes never hand out the same id. */
let nextWorker = randomInt(workers);

/** Makes Discord ids: 42 bits for the time, 10 for the worker that made them, 12 for a counter; as decimal strings. */
export class SnowflakeSource {
  readonly #worker = BigInt(nextWorker++ % workers);
  #now = 0;
  #past = clock.epochMs() - yearMs;
  #count = 0;

  /** An id from this moment: messages, interactions. Greater than every earlier one, even if the clock goes back. */
  next(): string {
    const now = clock.epochMs();
    if (now > this.#now) {
      this.#now = now;
      this.#count = 0;
    } else if (++this.#count === idsPerMillisecond) {
      this.#now += 1;
      this.#count = 0;
    }
    return this.#compose(this.#now, this.#count);
  }

  /**
   * An id from the past year, greater than every earlier one in its kind: users, guilds, roles, channels.
   * Their times lie apart, since a guild's shard comes from the time in its id.
   */
  nextAged(): string {
    this.#past += randomInt(1, 10_000);
    return this.#compose(this.#past, 0);
  }

  #compose(time: number, count: number): string {
    return ((BigInt(time - discordEpoch) << 22n) | (this.#worker << 12n) | BigInt(count)).toString();
  }
}

/** Sorts ids by age without turning them into numbers. */
export function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The shard that gets a guild's events: `(guild_id >> 22) % shards`. */
export function shardOf(guildId: string, shards: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shards));
}
