import { setTimeout as delay } from 'node:timers/promises';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError, ChatPlatformUnavailable, NotFound } from '../../../lib/errors.js';
import { logger } from '../../../lib/logger.js';
import { withLease } from '../../../platforms/database/lease.js';
import { isRefusedByDiscord } from '../../../platforms/discord/call-outcome.js';
import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readMember } from '../../../platforms/discord/guild-members.js';
import { inLane } from '../../../platforms/discord/lane.js';
import { markAbsent } from '../../members/member-service.js';
import { isRefusal, syncMember } from '../member/member-sync.js';
import { stepAside } from '../member/step-aside.js';
import { readRulesKey } from '../plan/guild-rules.js';
import { readHeldRoles } from '../plan/roles-by-rules.js';
import { applyChange, type ChangeOutcome } from './resync-change.js';
import { type ChangeKind, changeKinds, type ResyncChange } from './resync-change-model.js';
import { countApplied, dueChanges, nextDueAt, updateChange } from './resync-changes.js';
import { actorOf, processedOf, type ResyncJob } from './resync-job-model.js';
import { postponeChange } from './resync-postponing.js';
import { RanksNow, type StandingNow } from './resync-ranks.js';
import type { ResyncRun } from './resync-run.js';
import { noteSwitched } from './switch-making.js';

const changesPerRead = 50;
/** A member whom somebody else is syncing is left for later rather than waited for. */
const leaseOptions = { waitMs: 1_000, holdMs: 10_000 };
/** After this many unknown outcomes in a row it is not the members. */
const mostFailuresInARow = 5;

/**
 * Makes the stored changes of a job. The kinds go side by side, as Discord limits each by itself; of each, one at a time.
 * Gives false when the guild's rules have changed, so that the rest of the plan is void.
 * Throws ChatPlatformUnavailable when the outcome is unknown again and again. What Discord refuses somebody is theirs.
 */
export async function applyChanges(run: ResyncRun): Promise<boolean> {
  const applied = await countApplied(run.job);
  await run.advance({
    $set: { applied, pace: { since: clock.now(), processed: processedOf({ planned: run.job.planned, applied }) } },
  });
  const facts = new ResyncFacts(run.job);
  const outage = { failuresInARow: 0 };
  const streams = changeKinds.map(async (kind) => {
    try {
      return await new ChangeStream(run, kind, facts, outage).applyAll();
    } catch (error) {
      run.end(error);
      throw error;
    }
  });
  const results = await Promise.allSettled(streams);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return results.every((result) => result.status === 'fulfilled' && result.value);
}

/** The changes of one kind, in the order of planning but for those that have failed. */
class ChangeStream {
  constructor(
    readonly run: ResyncRun,
    readonly kind: ChangeKind,
    readonly facts: ResyncFacts,
    /** Shared by the streams. */
    readonly outage: { failuresInARow: number },
    readonly ranks = new RanksNow(run.signal),
  ) {}

  /** Gives false when the rules have changed. */
  async applyAll(): Promise<boolean> {
    for (;;) {
      await this.run.check();
      const changes = await dueChanges(this.run.job, this.kind, changesPerRead);
      for (const [index, change] of changes.entries()) {
        await stepAside();
        const guild = await this.run.servedGuild();
        if (await this.facts.rulesChanged(guild)) return false;
        const standing = await this.ranks.standingOf(guild, change, changes.slice(index + 1));
        await this.#apply(guild, change, standing);
      }
      if (changes.length === 0 && !(await this.#untilDue())) return true;
    }
  }

  /** Waits until a change that had failed is due again; gives false when there is none. */
  async #untilDue(): Promise<boolean> {
    const dueAt = await nextDueAt(this.run.job, this.kind);
    if (dueAt === null) return false;
    await delay(Math.max(0, Math.min(dueAt.getTime() - clock.epochMs(), 1_000)), undefined, {
      signal: this.run.signal,
    });
    return true;
  }

  async #apply(guild: Guild, change: ResyncChange, standing: StandingNow | null): Promise<void> {
    try {
      const { state, blocked, remove = change.remove } = await this.#attempt(guild, change, standing);
      this.outage.failuresInARow = 0;
      await stepAside();
      if (this.run.job.goesLive === true && state === 'done') await noteSwitched(change);
      await updateChange(change, { state, blocked, remove });
      await this.#count(state === 'done' ? 'changed' : 'skipped', { remove, blocked });
    } catch (error) {
      this.run.signal.throwIfAborted();
      await this.#fail(change, error);
    }
  }

  async #attempt(guild: Guild, change: ResyncChange, standing: StandingNow | null): Promise<ChangeOutcome> {
    const { guildId, chatUserId } = change;
    const cause = { trigger: 'resync', actor: actorOf(this.run.job), jobId: this.run.job._id } as const;
    const options = {
      ...(await this.facts.current(guild)),
      cause,
      onlyAsSeen: this.run.job.fixedPlan,
      standing,
    };
    try {
      return await withLease(
        `sync:${guildId}:${chatUserId}`,
        (lease) => applyChange(change, { ...options, lease }),
        leaseOptions,
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    // Not as it was planned: a role was moved or deleted a moment ago, a part is refused, or the person has left.
    this.facts.forget();
    // What is held back of the guild's bulk must not keep this member from an answer.
    if ((await readMember(guildId, chatUserId)) !== null)
      return inLane('single', () => planOnce(guild, change, { ...cause, isRefused: true }), this.run.signal);
    await markAbsent(guildId, chatUserId);
    return { state: 'skipped', blocked: change.blocked };
  }

  async #fail(change: ResyncChange, error: unknown): Promise<void> {
    if (error instanceof AppError) logger.info({ err: error, chatUserId: change.chatUserId }, 'change failed');
    else logger.error({ err: error, chatUserId: change.chatUserId }, 'change failed');
    if (await postponeChange(change, error)) await this.#count('failed', change);
    else await this.run.check();
    if (isRefusedByDiscord(error)) this.outage.failuresInARow = 0;
    if (isRefusedByDiscord(error) || !(error instanceof ChatPlatformUnavailable)) return;
    this.outage.failuresInARow += 1;
    if (this.outage.failuresInARow >= mostFailuresInARow) throw error;
  }

  /** The change of the job's counters is also what notices that the job was cancelled. */
  async #count(
    outcome: 'changed' | 'skipped' | 'failed',
    { remove, blocked }: Pick<ResyncChange, 'remove' | 'blocked'>,
  ): Promise<void> {
    const increments = {
      [`applied.${outcome}`]: 1,
      'applied.blocked': blocked.length > 0 ? 1 : 0,
      'applied.lost': outcome === 'changed' && remove.length > 0 ? 1 : 0,
    };
    await stepAside();
    await this.run.advance({ $inc: increments, ...(outcome !== 'failed' && { $unset: { waiting: 1 } }) });
  }
}

/** Plans this member anew, from what both platforms say now, and syncs them. */
async function planOnce(
  guild: Guild,
  { chatUserId, blocked }: ResyncChange,
  cause: Parameters<typeof syncMember>[2],
): Promise<ChangeOutcome> {
  try {
    const result = await syncMember(guild, chatUserId, cause);
    const isChanged = result.added.length + result.removed.length > 0 || result.nickname !== undefined;
    return { state: isChanged ? 'done' : 'skipped', blocked: result.blocked };
  } catch (error) {
    if (error instanceof NotFound) return { state: 'skipped', blocked };
    throw error;
  }
}

/** Nothing is looked at more often than this. */
const freshForMs = 2_000;

/** What is true of a guild while its changes are applied: its roles on Discord, and whether its rules have changed. */
class ResyncFacts {
  #readAt = Number.NEGATIVE_INFINITY;
  #read: Promise<FactsNow> | undefined;

  constructor(readonly job: Pick<ResyncJob, 'fixedPlan' | 'rulesKey'>) {}

  /** Throws ChatPlatformUnavailable, and GoneFromDiscord when the bot is not in the guild. */
  async current(guild: Guild): Promise<Omit<FactsNow, 'rulesKey'>> {
    const { rulesKey: _, ...now } = await this.#fresh(guild);
    return now;
  }

  /** Whether what is left of the plan is void. One that was shown stands as it was. */
  async rulesChanged(guild: Guild): Promise<boolean> {
    return !this.job.fixedPlan && (await this.#fresh(guild)).rulesKey !== this.job.rulesKey;
  }

  /** Reads anew the next time: Discord has refused something that was thought to be possible. */
  forget(): void {
    this.#read = undefined;
  }

  #fresh(guild: Guild): Promise<FactsNow> {
    const now = clock.monotonicMs();
    if (this.#read === undefined || now - this.#readAt >= freshForMs) {
      this.#readAt = now;
      this.#read = readFacts(guild);
      this.#read.catch(() => this.forget());
    }
    return this.#read;
  }
}

/** A guild's roles, those among them that have become dangerous, and the key of its rules. */
interface FactsNow {
  facts: GuildFacts;
  heldRoleIds: ReadonlySet<string>;
  /** Those that count by its rules. */
  roles: ReadonlySet<string>;
  isObserved: boolean;
  rulesKey: string;
}

async function readFacts(guild: Guild): Promise<FactsNow> {
  const [facts, rulesKey] = await Promise.all([readGuildFacts(guild._id), readRulesKey(guild)]);
  const { held: heldRoleIds, roles, isObserved } = await readHeldRoles(guild, facts);
  return { facts, rulesKey, heldRoleIds, roles, isObserved };
}
