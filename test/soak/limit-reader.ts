import { setTimeout as delay } from 'node:timers/promises';
import type { ModelService } from '../model/model-service.js';
import type { Station } from './station.js';
import type { TwoServices } from './two-services.js';

/** A token's reads in a window (API-30). Each process counts for itself, from the first read on. */
const [limit, windowMs] = [600, 60_000];
/** The limit is met before a window is over, on a machine that answers this many at a time. */
const [readEveryMs, mostUnderWay] = [75, 60];
const pollEveryMs = 200;
const paths = ['/members?limit=100', '/mappings', '/logs', '/overview', '/roles', '/members/counts', '/resyncs'];

/** Reads of one window: those let through, and the times from which a refusal allows the next. */
interface ReadWindow {
  taken: number;
  firstAt: number;
  nextAt: number[];
  isBroken: boolean;
}

/**
 * Reads a station with one token at its limit, from one process, and waits as each refusal says. No script kicks the
 * bot from a station or suspends it, so every other answer is wrong.
 */
export class LimitReader {
  readonly byStatus = new Map<number, number>();
  readonly problems: string[] = [];
  /** Windows that began, and those with a refusal. */
  readonly windows = { all: 0, refused: 0 };
  #turn = 0;

  constructor(
    private readonly services: TwoServices,
    private readonly service: ModelService,
    private readonly station: Station,
  ) {}

  async readUntil(isOver: () => boolean): Promise<void> {
    const { guildId, ownerId } = this.station.crowd;
    const owner = { id: ownerId, username: 'owner' };
    const wish = { name: 'soak', role: 'viewer' };
    const { body } = await this.services.ask(owner, 'POST', `/api/guilds/${guildId}/tokens`, wish);
    while (!isOver()) {
      if (!this.services.isReady(this.service)) {
        await delay(pollEveryMs);
        continue;
      }
      const read = await this.#window(body.token ?? '', isOver);
      this.#judge(read);
      // A killed process has forgotten its window.
      const nextAt = read.isBroken ? 0 : Math.max(...read.nextAt, read.nextAt.length > 0 ? 0 : read.firstAt + windowMs);
      while (!isOver() && Date.now() < nextAt) await delay(pollEveryMs);
    }
  }

  async #window(token: string, isOver: () => boolean): Promise<ReadWindow> {
    const [begun, underWay] = [Date.now(), new Set<Promise<void>>()];
    const window: ReadWindow = { taken: 0, firstAt: 0, nextAt: [], isBroken: false };
    const isFull = () => window.isBroken || window.nextAt.length > 0 || Date.now() - begun > windowMs;
    for (let sent = 0; !isOver() && !isFull(); await delay(readEveryMs)) {
      // A late timer makes up for what it has missed.
      for (; sent * readEveryMs < Date.now() - begun && underWay.size < mostUnderWay; sent += 1) {
        const read: Promise<void> = this.#read(token, window).finally(() => underWay.delete(read));
        underWay.add(read);
      }
    }
    await Promise.all(underWay);
    return window;
  }

  async #read(token: string, window: ReadWindow): Promise<void> {
    this.#turn += 1;
    const path = `/api/guilds/${this.station.crowd.guildId}${paths[this.#turn % paths.length]}`;
    const headers = { authorization: `Bot ${token}` };
    const told = await fetch(`${this.service.url}${path}`, { headers }).catch(() => null);
    const text = await told?.text().catch(() => null);
    const status = typeof text === 'string' ? (told?.status ?? 0) : 0;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    window.firstAt ||= Date.now();
    if (status === 200) window.taken += 1;
    else if (status === 429) window.nextAt.push(Date.now() + this.#waitOf(told) * 1_000);
    // A process that has just begun asks Discord for everything at once, and says so.
    else if (status === 503) await delay(this.#waitOf(told) * 1_000);
    else window.isBroken = true;
    if (![0, 200, 429, 503].includes(status))
      this.problems.push(`${path} was answered ${status} ${text?.slice(0, 300)}`);
  }

  #waitOf(told: Response | null): number {
    const wait = Number(told?.headers.get('retry-after'));
    if (wait >= 1 && wait <= windowMs / 1_000) return wait;
    this.problems.push(`a refused read is told to wait for ${wait} seconds`);
    return windowMs / 1_000;
  }

  #judge({ taken, nextAt, isBroken }: ReadWindow): void {
    this.windows.all += 1;
    if (nextAt.length > 0) this.windows.refused += 1;
    if (nextAt.length > 0 && taken === 0 && !isBroken)
      this.problems.push('a read is refused after the wait it was told');
    // Those under way at a window's end count in the next.
    if (taken > limit + mostUnderWay) this.problems.push(`${taken} reads of a token are let through in a minute`);
  }
}
