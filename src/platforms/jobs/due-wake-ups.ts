import { clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/time.js';
import { dueBetweenNowAnd } from './wake-up-store.js';

/** How often to look for wake-ups that other processes stored, and how far ahead. */
const lookEveryMs = 5_000;
const aheadMs = 2_000;

/**
 * Knows which jobs have a wake-up that is due, so that a claim is made for those alone: one look for all jobs sees what
 * falls due until the next, and what this process stores itself is noted at once.
 */
export class DueWakeUps {
  /** How many wake-ups fall due when, by job, in milliseconds of the machine's time. */
  #due = new Map<string, Map<number, number>>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #noted: { name: string; at: number }[] = [];
  /** How often a wake-up of a job was noted. */
  readonly #notes = new Map<string, number>();

  /** A wake-up is stored for then. */
  note(name: string, at: Date): void {
    const time = at.getTime();
    this.#notes.set(name, this.notesOf(name) + 1);
    if (this.#looking !== undefined) this.#noted.push({ name, at: time });
    this.#add(name, time);
  }

  /** Whether there may be a wake-up of this job that is due by then. */
  async mayBeDue(name: string, by: Date): Promise<boolean> {
    if (clock.monotonicMs() - this.#lookedAt >= lookEveryMs) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return [...(this.#due.get(name)?.keys() ?? [])].some((time) => time <= by.getTime());
  }

  /**
   * A claim has taken the wake-up that was due then. This process noted it by its time, a look by its second. One that is
   * known by neither (it was overdue when a look saw it, or no look has seen it yet) takes nothing, and one claim too many is
   * made. One of another process may take what counts for another of the same second: the next look sets that right.
   */
  taken(name: string, at: Date): void {
    const times = this.#due.get(name);
    const time = [at.getTime(), Math.floor(at.getTime() / secondMs) * secondMs].find((known) => times?.has(known));
    if (times === undefined || time === undefined) return;
    const left = (times.get(time) ?? 0) - 1;
    if (left > 0) times.set(time, left);
    else times.delete(time);
  }

  /** How often a wake-up of this job was noted so far. */
  notesOf(name: string): number {
    return this.#notes.get(name) ?? 0;
  }

  /** A claim found none that is due by then, when so many had been `noted`: what came since it may not have seen. */
  noneDue(name: string, by: Date, noted: number): void {
    if (this.notesOf(name) !== noted) return;
    const times = this.#due.get(name);
    for (const time of times?.keys() ?? []) if (time <= by.getTime()) times?.delete(time);
  }

  async #look(): Promise<void> {
    this.#noted = [];
    const found = await dueBetweenNowAnd(new Date(clock.machineTime().getTime() + lookEveryMs + aheadMs));
    this.#due = new Map();
    for (const { name, at, count } of found) this.#add(name, at.getTime(), count);
    // What was stored while the database looked, it may not have seen.
    for (const { name, at } of this.#noted) this.#add(name, at);
    this.#lookedAt = clock.monotonicMs();
  }

  #add(name: string, time: number, count = 1): void {
    const times = this.#due.get(name) ?? new Map<number, number>();
    this.#due.set(name, times.set(time, (times.get(time) ?? 0) + count));
  }
}
