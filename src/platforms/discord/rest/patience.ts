import type { RequestData } from 'discord.js';
import { AsyncContext } from '../../../lib/async-context.js';
import { clock } from '../../../lib/clock.js';
import { minuteMs, secondMs } from '../../../lib/time.js';
import { HeldBack } from './invalid-request-guard.js';

/**
 * How long a person waits for a call, in milliseconds, and how long work does that nobody waits for. Discord may ask for
 * a day. Work that fails comes again, and holds no place meanwhile.
 */
export const patience = { longestMs: 15 * secondMs, ofWorkMs: 5 * minuteMs };

/** Nobody waits longer than until then, by `clock.monotonicMs()`; the signal aborts when a person waits no more. */
const wait = new AsyncContext<{ until: number; signal?: AbortSignal }>();

/** Runs a call that a person has awaited since then. Discord's longer waits end it with RateLimitError (`isTooLong`). */
export function patiently<T>(since: number, call: () => Promise<T>): Promise<T> {
  const until = since + patience.longestMs;
  const tired = new AbortController();
  const timer = setTimeout(() => tired.abort(), until - clock.monotonicMs());
  return wait.run({ until, signal: tired.signal }, call).finally(() => clearTimeout(timer));
}

/** Runs a call that nobody waits for, with the longer patience. */
export function unhurried<T>(call: () => Promise<T>): Promise<T> {
  return wait.run({ until: clock.monotonicMs() + patience.ofWorkMs }, call);
}

/** A call's options, with a signal that ends it when the person waits no longer. */
export function endingInTime(options: RequestData = {}): RequestData {
  const signals = [options.signal, wait.get()?.signal].filter((signal) => signal instanceof AbortSignal);
  return signals.length === 0 ? options : { ...options, signal: AbortSignal.any(signals) };
}

/** For discord.js's REST client: whether the running call would have to wait too long. */
export function isTooLong({ retryAfter }: { retryAfter: number }): boolean {
  const until = wait.get()?.until;
  return until !== undefined && clock.monotonicMs() + retryAfter > until;
}

/** The refusal for a call for which Discord asks to wait longer, in milliseconds. */
export function tooSlow(waitMs: number): HeldBack {
  const seconds = Math.max(1, Math.ceil(waitMs / secondMs));
  return new HeldBack(`Discord lets the bot do this later. Try again in ${seconds} s.`, seconds, 'calls_wait');
}
