import { clock } from '../../lib/clock.js';
import { dueBetweenNowAnd } from './wake-up-store.js';

/** How often to look for wake-ups that other processes stored, and how far ahead. */
const lookEveryMs = 5_000;
const aheadMs = 2_000;

/**
 * Knows which jobs have a wake-up that is due, so that a claim is made for those alone: one look for all jobs sees what
 * falls due until the next, and what this process stores itself is noted at once.
 */
export class DueWakeUps {
  /** By job, in milliseconds of the machine's time. */
  #times = new Map<string, number[]>();
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
    return (this.#times.get(name) ?? []).some((time) => time <= by.getTime());
  }

  /** How often a wake-up of this job was noted so far. */
  notesOf(name: string): number {
    return this.#notes.get(name) ?? 0;
  }

  /** A claim found none that is due by then, when so many had been `noted`: what came since it may not have seen. */
  noneDue(name: string, by: Date, noted: number): void {
    if (this.notesOf(name) !== noted) return;
    const later = (this.#times.get(name) ?? []).filter((time) => time > by.getTime());
    if (later.length > 0) this.#times.set(name, later);
    else this.#times.delete(name);
  }

  async #look(): Promise<void> {
    this.#noted = [];
    const found = await dueBetweenNowAnd(new Date(clock.machineTime().getTime() + lookEveryMs + aheadMs));
    this.#times = new Map(found.map(({ name, times }) => [name, times.map((time) => time.getTime())]));
    // What was stored while the database looked, it may not have seen.
    for (const { name, at } of this.#noted) this.#add(name, at);
    this.#lookedAt = clock.monotonicMs();
  }

  #add(name: string, time: number): void {
    const times = this.#times.get(name) ?? [];
    if (!times.includes(time)) this.#times.set(name, [...times, time]);
  }
}
