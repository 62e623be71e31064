import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { inLane } from '../../../lib/lane.js';
import { minuteMs } from '../../../lib/time.js';
import { keepPeople } from '../../mappings/mapping-people.js';
import { DoubtfulGroups } from '../plan/doubtful-groups.js';
import { beginning, type PlannedMember, type PlannedPage, planGuild } from '../plan/guild-plan.js';
import type { GuildRules } from '../plan/guild-rules.js';
import { MappingTally } from '../plan/mapping-tally.js';
import { newPlan } from '../plan/new-plan.js';
import { hasWork } from '../plan/plan.js';
import { storePart } from './stored-previews.js';

/** How long a preview can be continued and applied. */
export const livesMs = 15 * minuteMs;

/**
 * People checked per answer: one answer covers whole Discord pages, until this many are checked or enough are out of
 * step.
 */
const enoughChecked = 5_000;
const enoughDiffering = 100;
/** Maximum time until an answer, for any progress; the next one continues. */
const patienceMs = 20_000;
/** Maximum members stored for one preview, here and in the database; beyond it a new one begins. */
const mostDiffering = 10_000;

/** One answer's content. `next` is the position (a Discord id) after which the next one begins. */
export interface PreviewPart {
  members: readonly PlannedMember[];
  next: string | null;
}

export interface PreviewRunInput {
  guild: Guild;
  actor: Actor;
  /** The person that it counts for, or an id in their place. */
  askedBy: string;
  rules: GuildRules;
  memberIds?: readonly string[] | undefined;
  /** Where it begins: after this Discord id. */
  after: string;
  /** An id for the request: its people and its draft rules. */
  requestKey: string;
  /** The key for the stored rules that it was planned by; null for drafts, which cannot be applied. */
  rulesKey: string | null;
}

/**
 * One preview while it is read, a part at a time, and stored to be applied. All game ranks are read before the first
 * part and stay in memory until the last, so that no later part asks Roblox again. For 10,000 members in a group that
 * large, all parts take 102 calls instead of 1,021.
 */
export class PreviewRun {
  readonly previewId: string;
  readonly guildId: string;
  readonly askedBy: string;
  readonly rules: GuildRules;
  readonly requestKey: string;
  readonly rulesKey: string | null;
  readonly #plan: ReturnType<typeof newPlan>;
  /** All members out of step in the parts read so far. */
  readonly differing: PlannedMember[] = [];
  /** How many people were checked, and how many left unchanged because Roblox's answers leave doubts. */
  readonly looked = { checked: 0, unknown: 0 };
  #asOf: Date | undefined;
  readonly #expiresAt = new Date(clock.epochMs() + livesMs);
  readonly #doubtful = new DoubtfulGroups();
  readonly #guildSize: number;
  readonly #parts = new Map<string, PreviewPart>();
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #stop = new AbortController();
  readonly #pages: AsyncGenerator<PlannedPage>;
  /** A tally over all members by the stored rules, if the preview covers that. */
  readonly #tally: MappingTally | undefined;
  #coming: Promise<PlannedPage | null> | undefined;
  #place: string | null;
  #broken = false;

  constructor({ guild, actor, askedBy, rules, memberIds, after, requestKey, rulesKey }: PreviewRunInput) {
    this.#plan = newPlan(guild, actor, memberIds ?? []);
    this.previewId = this.#plan._id;
    this.guildId = guild._id;
    this.askedBy = askedBy;
    this.rules = rules;
    this.requestKey = requestKey;
    this.rulesKey = rulesKey;
    this.#guildSize = memberIds?.length ?? guild.memberCount;
    this.#place = after;
    const isWhole = memberIds === undefined && after === beginning && rulesKey !== null;
    this.#tally = isWhole ? new MappingTally(rules, clock.now()) : undefined;
    const options = { rules, memberIds, after, ranksAhead: true, tally: this.#tally };
    this.#pages = planGuild(guild, options, this.#stop.signal);
  }

  /** Whether this preview still has the part that begins after `place`. */
  covers(place: string): boolean {
    return this.#parts.has(place) || (place === this.#place && !this.#broken && this.differing.length < mostDiffering);
  }

  /** Groups that Roblox no longer knew at the second question. */
  get gone(): ReadonlySet<string> {
    return this.#doubtful.gone;
  }

  /** Its approximate memory in kilobytes: one per planned member, one per ten people's ranks. */
  get size(): number {
    return 1 + this.differing.length + (this.#place === null ? 0 : Math.ceil(this.#guildSize / 10));
  }

  /**
   * The part after `place`, which it must cover; a part that was read before is returned again. After `withinMs`
   * returns the result so far, perhaps empty. Throws as `planGuild` does, and then covers no further part.
   */
  read(place: string, withinMs = patienceMs): Promise<PreviewPart> {
    return this.#turns.add(async () => this.#parts.get(place) ?? (await this.#readOn(place, withinMs)));
  }

  /** Ends the reading after the part in progress. `reason` is the error for later calls. */
  close(reason: Error): void {
    void this.#turns.onIdle().then(() => this.#stop.abort(reason));
  }

  async #readOn(began: string, withinMs: number): Promise<PreviewPart> {
    const end = clock.monotonicMs() + withinMs;
    const members: PlannedMember[] = [];
    const { checked } = this.looked;
    while (this.#place !== null && members.length < enoughDiffering && this.looked.checked - checked < enoughChecked) {
      const page = await this.#nextPage(end - clock.monotonicMs()).catch((error: unknown) => {
        // Parts read before the failure are an answer; the next call is refused.
        if (this.#place === began) throw error;
        return 'failed' as const;
      });
      if (page === 'slow' || page === 'failed') break;
      this.#place = page === null ? null : page.next;
      if (page !== null) members.push(...this.#take(page));
    }
    const part = { members, next: this.#place };
    // Known as unfinished to a resync in any process, before anything could be applied.
    if (this.#place === began && this.#parts.size === 0) await this.#store([], 0);
    if (this.#place !== began) {
      await this.#store(members, this.#parts.size + 1);
      if (this.#place === null) await this.#keepCounts();
      this.#parts.set(began, part);
    }
    return part;
  }

  async #keepCounts(): Promise<void> {
    if (this.#tally !== undefined && this.gone.size === 0) {
      await keepPeople(this.guildId, this.#tally.counted('now'));
    }
  }

  async #store(members: readonly PlannedMember[], parts: number): Promise<void> {
    const { askedBy, rulesKey, differing, looked } = this;
    const changes = differing.filter(({ plan }) => hasWork(plan)).length;
    const { checked, unknown } = looked;
    const plan = {
      ...{ ...this.#plan, state: 'shown' as const, phase: 'checking' as const, fixedPlan: true, askedBy },
      ...{ memberIds: null, estimate: checked, parts, asOf: this.#asOf ?? clock.now() },
      ...{ planned: { members: checked, settled: checked - changes, unknown, blocked: differing.length - changes } },
      ...{ expiresAt: this.#expiresAt, ...(rulesKey !== null && { rulesKey }) },
    };
    try {
      await storePart(plan, members);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  #take({ members, unknown, differing, asOf }: PlannedPage): readonly PlannedMember[] {
    this.#asOf ??= asOf;
    this.looked.checked += members;
    this.looked.unknown += unknown;
    this.differing.push(...differing);
    return differing;
  }

  /** The next page, null after the last one. Reading continues between requests. */
  async #nextPage(withinMs: number): Promise<PlannedPage | null | 'slow'> {
    this.#coming ??= this.#ask();
    const patience = new AbortController();
    const slow = delay(Math.max(withinMs, 0), 'slow' as const, { signal: patience.signal, ref: false });
    try {
      const came = await Promise.race([this.#coming, slow]);
      if (came !== 'slow') this.#coming = undefined;
      return came;
    } finally {
      patience.abort();
    }
  }

  async #ask(): Promise<PlannedPage | null> {
    try {
      const result = await inLane('bulk', () => this.#pages.next(), this.#stop.signal);
      return result.done ? null : await this.#doubtful.without(result.value);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}
