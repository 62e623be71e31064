import { clock } from '../../lib/clock.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { type Push, PushedIds } from './push-message.js';

export const pushPace = {
  /** From the first change until its message. */
  gatherMs: secondMs,
  /** Between two messages: Roblox takes 50 a minute of an experience without players. */
  restMs: 1.5 * secondMs,
  /** Between two messages for everybody. */
  crowdMs: minuteMs,
};

/**
 * One guild's changes on their way into its games. They are gathered, and sent one message after another. More than fit
 * become one message for everybody; until that may be sent, all changes count as told by it.
 */
export class PushLine {
  readonly #ids = new PushedIds();
  /** Since when something waits; undefined: nothing does. */
  #waitsSince: number | undefined;
  #isCrowd = false;
  #isSending = false;
  #restUntil = Number.NEGATIVE_INFINITY;
  #crowdUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly send: (push: Push) => Promise<void>,
    readonly pace = pushPace,
    /** As many send to the same games, each with its part of the limit. */
    readonly processes = 1,
  ) {}

  add(gameUserIds: readonly string[]): void {
    this.#isCrowd ||= gameUserIds.some((id) => !this.#ids.add(id));
    this.#waitsSince ??= clock.monotonicMs();
    this.#plan();
  }

  /** Forgets the waiting changes. A message on its way is not cut. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#ids.take();
    this.#isCrowd = false;
    this.#waitsSince = undefined;
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#waitsSince === undefined || this.#isSending) return;
    const earliest = this.#isCrowd ? this.#crowdUntil : this.#restUntil;
    const at = Math.max(this.#waitsSince + this.pace.gatherMs, earliest, this.#restUntil);
    this.#timer = setTimeout(() => void this.#sendNow(), Math.max(0, at - clock.monotonicMs())).unref();
  }

  async #sendNow(): Promise<void> {
    const ids = this.#ids.take();
    const push = this.#isCrowd ? 'everybody' : ids;
    const { restMs, crowdMs } = this.pace;
    this.#restUntil = clock.monotonicMs() + restMs * this.processes;
    if (this.#isCrowd) this.#crowdUntil = clock.monotonicMs() + crowdMs * this.processes;
    this.#isCrowd = false;
    this.#waitsSince = undefined;
    this.#isSending = true;
    await this.send(push);
    this.#isSending = false;
    this.#plan();
  }
}
