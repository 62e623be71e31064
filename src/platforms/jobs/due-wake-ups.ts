import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/time.js';
import { dueBetween, roundedUp } from './wake-up-store.js';

/** Interval of queries for other processes' wake-ups, and how far beyond the next query each one reads. */
const pollEveryMs = 5 * secondMs;
const aheadMs = 2 * secondMs;
/** Delay before an unclaimed due wake-up is reported again, and before a failed query is repeated. */
const againAfterMs = secondMs;
/** Bundles reports: a thousand wake-ups in one second are not reported one by one. */
const leastWaitMs = 10;
/** The next query comes before this time. Only a clock set back makes a wait longer. */
const mostWaitMs = pollEveryMs + aheadMs;

export interface WakeUpWatcher {
  /** A wake-up of this job is due. Repeated each second while it is unclaimed. */
  onDue(name: string): void;
  /** A query failed; the next one follows one second later. */
  onFailure(error: unknown): void;
}

/**
 * Tracks the jobs with due wake-ups, so that only those are claimed, on time. One query for all jobs covers the time
 * until the next query; this process's own wake-ups are noted immediately.
 */
export class DueWakeUps {
  /** The number of wake-ups by job and due time, in milliseconds of machine time. */
  #due = new Map<string, Map<number, number>>();
  /** The time of the last query; it treated overdue wake-ups as due at that time. */
  #polledAt = 0;
  /** Later wake-ups are found by the next query in time. */
  #knownUntil = 0;
  /** Wake-ups noted since the last query began. */
  #noted: { name: string; time: number }[] = [];
  /** The number of times a job's wake-ups were noted or found. */
  readonly #notes = new Map<string, number>();
  /** The time of the last report, by job. */
  readonly #reportedAt = new Map<string, number>();
  #watcher: WakeUpWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerEndsAt = Number.POSITIVE_INFINITY;

  /** Queries every 5 s and reports due wake-ups to `watcher`, until `signal` is aborted. */
  async watch(watcher: WakeUpWatcher, signal: AbortSignal): Promise<void> {
    this.#watcher = watcher;
    signal.addEventListener('abort', () => {
      this.#watcher = undefined;
      clearTimeout(this.#timer);
      this.#timerEndsAt = Number.POSITIVE_INFINITY;
    });
    while (!signal.aborted) {
      const waitMs = await this.#poll(signal).then(
        () => pollEveryMs,
        (error: unknown) => {
          if (!signal.aborted) watcher.onFailure(error);
          return againAfterMs;
        },
      );
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  note(name: string, at: Date): void {
    if (this.#watcher === undefined) return;
    const time = at.getTime();
    this.#remember(name, time);
    const now = clock.machineTime().getTime();
    if (time > Math.max(this.#knownUntil, now)) return;
    this.#add(name, time);
    if (time <= now) this.#report(name, now);
    this.#reportAgainAt(time <= now ? now + againAfterMs : time);
  }

  mayBeDue(name: string): boolean {
    const now = clock.machineTime().getTime();
    return [...(this.#due.get(name)?.keys() ?? [])].some((time) => time <= now);
  }

  /**
   * Notes that a claim took the wake-up due at this time. This process had noted it by its exact time; a query, by its
   * time rounded up, or the query's time if overdue. One not yet seen by a query changes nothing, or the count of a
   * near neighbour: the next query corrects that.
   */
  taken(name: string, at: Date): void {
    const times = this.#due.get(name);
    const seenAs = at.getTime() <= this.#polledAt ? this.#polledAt : roundedUp(at.getTime());
    const time = [at.getTime(), seenAs].find((known) => times?.has(known));
    if (times === undefined || time === undefined) return;
    const left = (times.get(time) ?? 0) - 1;
    if (left > 0) times.set(time, left);
    else times.delete(time);
  }

  /** Notes that a claimed wake-up waits again: the job had no free place. */
  givenBack(name: string, at: Date): void {
    const time = at.getTime();
    this.#remember(name, time);
    this.#add(name, time);
    this.#reportAgainAt(Math.max(time, clock.machineTime().getTime() + againAfterMs));
  }

  /** The number of times this job's wake-ups were noted or found so far. */
  notesOf(name: string): number {
    return this.#notes.get(name) ?? 0;
  }

  /** Notes that a claim found none due by then. It began when `notesOf` was `noted`, and may have missed later ones. */
  noneDue(name: string, by: Date, noted: number): void {
    if (this.notesOf(name) !== noted) return;
    const times = this.#due.get(name);
    for (const time of times?.keys() ?? []) if (time <= by.getTime()) times?.delete(time);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    this.#noted = [];
    const now = clock.machineTime();
    const until = now.getTime() + pollEveryMs + aheadMs;
    const found = await dueBetween(now, new Date(until));
    if (signal.aborted) return;
    this.#due = new Map();
    this.#polledAt = now.getTime();
    this.#knownUntil = until;
    for (const { name, at, count } of found) this.#add(name, at.getTime(), count);
    // A claim in progress may have started before this was stored.
    for (const { name } of found) this.#notes.set(name, this.notesOf(name) + 1);
    // The query may have missed wake-ups stored while it ran.
    for (const { name, time } of this.#noted) if (time <= until) this.#add(name, time);
    this.#reportDue();
  }

  /** Keeps the wake-up for the query and claim in progress: neither may have seen it. */
  #remember(name: string, time: number): void {
    this.#notes.set(name, this.notesOf(name) + 1);
    this.#noted.push({ name, time });
  }

  #add(name: string, time: number, count = 1): void {
    const times = this.#due.get(name) ?? new Map<number, number>();
    this.#due.set(name, times.set(time, (times.get(time) ?? 0) + count));
  }

  /** Reports each job with newly due wake-ups, or with some still due one second later. */
  #reportDue(): void {
    this.#timerEndsAt = Number.POSITIVE_INFINITY;
    const now = clock.machineTime().getTime();
    for (const [name, times] of this.#due) {
      const due = [...times.keys()].filter((time) => time <= now);
      const reportedAt = this.#reportedAt.get(name) ?? Number.NEGATIVE_INFINITY;
      // Also correct if the clock was set back since.
      const isReported = Math.abs(now - reportedAt) < againAfterMs && due.every((time) => time <= reportedAt);
      if (due.length > 0 && !isReported) this.#report(name, now);
      if (due.length > 0) this.#reportAgainAt((isReported ? reportedAt : now) + againAfterMs);
      this.#reportAgainAt(Math.min(...[...times.keys()].filter((time) => time > now)));
    }
  }

  #report(name: string, now: number): void {
    this.#reportedAt.set(name, now);
    this.#watcher?.onDue(name);
  }

  #reportAgainAt(time: number): void {
    if (this.#watcher === undefined || time >= this.#timerEndsAt) return;
    clearTimeout(this.#timer);
    this.#timerEndsAt = time;
    const waitMs = time - clock.machineTime().getTime();
    this.#timer = setTimeout(() => this.#reportDue(), Math.min(Math.max(waitMs, leastWaitMs), mostWaitMs));
  }
}
