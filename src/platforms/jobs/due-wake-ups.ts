import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/time.js';
import { dueBetween, roundedUp } from './wake-up-store.js';

/** How often to look for wake-ups that other processes stored, and how much further ahead than the next look. */
const lookEveryMs = 5 * secondMs;
const aheadMs = 2 * secondMs;
/** What is due and not taken is told again after so long, and a look that failed is made again. */
const againAfterMs = secondMs;
/** Not to tell of each of a thousand wake-ups in one second by itself. */
const leastWaitMs = 10;
/** By then a look has come. Only a clock that was set back makes a wait longer. */
const mostWaitMs = lookEveryMs + aheadMs;

export interface WakeUpWatcher {
  /** A wake-up of this job is due. Said again each second while one is known that nobody has taken. */
  onDue(name: string): void;
  /** A look failed; another one follows in a second. */
  onFailure(error: unknown): void;
}

/**
 * Knows which jobs have a wake-up that is due, so that a claim is made for those alone, when it is: one look for all jobs
 * sees what falls due until the next, and what this process stores itself is noted at once.
 */
export class DueWakeUps {
  /** How many wake-ups fall due when, by job, in milliseconds of the machine's time. */
  #due = new Map<string, Map<number, number>>();
  /** When the last look was made, which saw what was due by then as due at that time. */
  #lookedAt = 0;
  /** What falls due later, the next look sees in time. */
  #knownUntil = 0;
  /** What was noted since the last look began. */
  #noted: { name: string; time: number }[] = [];
  /** How often a wake-up of a job was noted or found. */
  readonly #notes = new Map<string, number>();
  /** When a job was last told of. */
  readonly #toldAt = new Map<string, number>();
  #watcher: WakeUpWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerEndsAt = Number.POSITIVE_INFINITY;

  /** Looks every 5 s, and tells `watcher` of what falls due, until `signal` is aborted. */
  async watch(watcher: WakeUpWatcher, signal: AbortSignal): Promise<void> {
    this.#watcher = watcher;
    signal.addEventListener('abort', () => {
      this.#watcher = undefined;
      clearTimeout(this.#timer);
      this.#timerEndsAt = Number.POSITIVE_INFINITY;
    });
    while (!signal.aborted) {
      const waitMs = await this.#look(signal).then(
        () => lookEveryMs,
        (error: unknown) => {
          if (!signal.aborted) watcher.onFailure(error);
          return againAfterMs;
        },
      );
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** A wake-up is stored for then. */
  note(name: string, at: Date): void {
    if (this.#watcher === undefined) return;
    const time = at.getTime();
    this.#remember(name, time);
    const now = clock.machineTime().getTime();
    if (time > Math.max(this.#knownUntil, now)) return;
    this.#add(name, time);
    if (time <= now) this.#tellOf(name, now);
    this.#tellAgainAt(time <= now ? now + againAfterMs : time);
  }

  /** Whether there may be a wake-up of this job that is due. */
  mayBeDue(name: string): boolean {
    const now = clock.machineTime().getTime();
    return [...(this.#due.get(name)?.keys() ?? [])].some((time) => time <= now);
  }

  /**
   * A claim has taken the wake-up that was due then. This process noted it by its time, a look by its time rounded up, or
   * by the look's if it was overdue. One that no look has seen yet takes nothing, or what counts for another of nearly the
   * same time: the next look sets that right.
   */
  taken(name: string, at: Date): void {
    const times = this.#due.get(name);
    const seenAs = at.getTime() <= this.#lookedAt ? this.#lookedAt : roundedUp(at.getTime());
    const time = [at.getTime(), seenAs].find((known) => times?.has(known));
    if (times === undefined || time === undefined) return;
    const left = (times.get(time) ?? 0) - 1;
    if (left > 0) times.set(time, left);
    else times.delete(time);
  }

  /** A wake-up that a claim has taken waits again: the job had no free place left. */
  givenBack(name: string, at: Date): void {
    const time = at.getTime();
    this.#remember(name, time);
    this.#add(name, time);
    this.#tellAgainAt(Math.max(time, clock.machineTime().getTime() + againAfterMs));
  }

  /** How often a wake-up of this job was noted or found so far. */
  notesOf(name: string): number {
    return this.#notes.get(name) ?? 0;
  }

  /** A claim found none that is due by then. It began when `notesOf` was `noted`: what came since it may not have seen. */
  noneDue(name: string, by: Date, noted: number): void {
    if (this.notesOf(name) !== noted) return;
    const times = this.#due.get(name);
    for (const time of times?.keys() ?? []) if (time <= by.getTime()) times?.delete(time);
  }

  async #look(signal: AbortSignal): Promise<void> {
    this.#noted = [];
    const now = clock.machineTime();
    const until = now.getTime() + lookEveryMs + aheadMs;
    const found = await dueBetween(now, new Date(until));
    if (signal.aborted) return;
    this.#due = new Map();
    this.#lookedAt = now.getTime();
    this.#knownUntil = until;
    for (const { name, at, count } of found) this.#add(name, at.getTime(), count);
    // A claim that is under way may have been made before it was stored.
    for (const { name } of found) this.#notes.set(name, this.notesOf(name) + 1);
    // What was stored while the database looked, it may not have seen.
    for (const { name, time } of this.#noted) if (time <= until) this.#add(name, time);
    this.#tell();
  }

  /** For the look and the claim that are under way: neither may have seen it. */
  #remember(name: string, time: number): void {
    this.#notes.set(name, this.notesOf(name) + 1);
    this.#noted.push({ name, time });
  }

  #add(name: string, time: number, count = 1): void {
    const times = this.#due.get(name) ?? new Map<number, number>();
    this.#due.set(name, times.set(time, (times.get(time) ?? 0) + count));
  }

  /** Tells of each job of which something has fallen due since it was told of, or is still due a second later. */
  #tell(): void {
    this.#timerEndsAt = Number.POSITIVE_INFINITY;
    const now = clock.machineTime().getTime();
    for (const [name, times] of this.#due) {
      const due = [...times.keys()].filter((time) => time <= now);
      const toldAt = this.#toldAt.get(name) ?? Number.NEGATIVE_INFINITY;
      // Also if the clock was set back since.
      const isToldOf = Math.abs(now - toldAt) < againAfterMs && due.every((time) => time <= toldAt);
      if (due.length > 0 && !isToldOf) this.#tellOf(name, now);
      if (due.length > 0) this.#tellAgainAt((isToldOf ? toldAt : now) + againAfterMs);
      this.#tellAgainAt(Math.min(...[...times.keys()].filter((time) => time > now)));
    }
  }

  #tellOf(name: string, now: number): void {
    this.#toldAt.set(name, now);
    this.#watcher?.onDue(name);
  }

  #tellAgainAt(time: number): void {
    if (this.#watcher === undefined || time >= this.#timerEndsAt) return;
    clearTimeout(this.#timer);
    this.#timerEndsAt = time;
    const waitMs = time - clock.machineTime().getTime();
    this.#timer = setTimeout(() => this.#tell(), Math.min(Math.max(waitMs, leastWaitMs), mostWaitMs));
  }
}
