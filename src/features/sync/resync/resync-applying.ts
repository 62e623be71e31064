import { countFact } from '../../../core/counters/daily-counters.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../../lib/errors.js';
import { logger } from '../../../lib/logger.js';
import { isRefusedByDiscord } from '../../../platforms/discord/rest/call-outcome.js';
import { HeldBack } from '../../../platforms/discord/rest/invalid-request-guard.js';
import { postponeSync } from '../member/sync-retries.js';
import { yieldToInteractive } from '../member/yield-to-interactive.js';
import { readRulesKey } from '../plan/guild-rules.js';
import type { CrowdReading } from '../plan/member-state.js';
import { actorOf, processedOf, type StoredPlan } from '../plan/plan-model.js';
import { type ChangeKind, changeKinds, type PlannedChange } from '../plan/planned-change-model.js';
import { countApplied, nextChanges, updateChange } from '../plan/planned-changes.js';
import { applyChange, type ChangeOutcome } from './resync-change.js';
import { ReadingsNow } from './resync-ranks.js';
import type { ResyncRun } from './resync-run.js';
import { madeByOthers } from './switch-making.js';

const changesPerRead = 50;
/** After this many unknown outcomes in a row it is not the members. */
const mostFailuresInARow = 5;

/**
 * Makes a job's stored changes. The kinds run in parallel, since Discord limits each separately; within a kind, one at
 * a time. Returns false if the guild's rules have changed, which voids the rest of the plan.
 * Throws GamePlatformUnavailable. Throws ChatPlatformUnavailable if Discord holds back all calls, or the outcome is
 * repeatedly unknown. A refusal by Discord affects only its member.
 */
export async function applyChanges(run: ResyncRun): Promise<boolean> {
  const applied = await countApplied(run.job);
  await run.advance({
    $set: { applied, pace: { since: clock.now(), processed: processedOf({ planned: run.job.planned, applied }) } },
  });
  const rules = new RulesWatch(run.job);
  const outage = { failuresInARow: 0 };
  const { reading } = run;
  run.reading = undefined;
  const streams = changeKinds.map(async (kind) => {
    try {
      return await new ChangeStream(run, kind, rules, outage, new ReadingsNow(run.signal, reading)).applyAll();
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

/** One kind's changes, in planning order except for failed ones. */
class ChangeStream {
  readonly #failedOnce = new Set<string>();

  constructor(
    readonly run: ResyncRun,
    readonly kind: ChangeKind,
    readonly rules: RulesWatch,
    /** Shared by the streams. */
    readonly outage: { failuresInARow: number },
    readonly readings: ReadingsNow,
  ) {}

  /** Returns false if the rules have changed. */
  async applyAll(): Promise<boolean> {
    for (;;) {
      await this.run.check();
      const changes = await nextChanges(this.run.job, this.kind, changesPerRead);
      if (changes.length === 0) return true;
      for (const [index, change] of changes.entries()) {
        await yieldToInteractive();
        const guild = await this.run.servedGuild();
        if (await this.rules.haveChanged(guild)) return false;
        const reading = await this.readings.of(guild, change, changes.slice(index + 1));
        await this.#apply(guild, change, reading);
      }
    }
  }

  async #apply(guild: Guild, change: PlannedChange, reading: CrowdReading): Promise<void> {
    try {
      const { state, blocked, isSettled, made } = await this.#attempt(guild, change, reading);
      this.outage.failuresInARow = 0;
      await yieldToInteractive();
      const kept = made ?? (this.run.job.goesLive === true ? await madeByOthers(change) : undefined);
      await updateChange(change, { state, blocked, ...(kept !== undefined && { made: kept }) });
      const isWritten = state === 'done' && isSettled === undefined;
      await this.#count(state === 'done' ? 'changed' : 'skipped', { made, blocked }, isWritten);
    } catch (error) {
      this.run.signal.throwIfAborted();
      await this.#fail(change, error);
    }
  }

  #attempt(guild: Guild, change: PlannedChange, reading: CrowdReading): Promise<ChangeOutcome> {
    const { _id: jobId, fixedPlan: onlyAsSeen } = this.run.job;
    const cause = { trigger: 'resync', actor: actorOf(this.run.job), jobId } as const;
    return applyChange(change, { guild, cause, onlyAsSeen, reading });
  }

  /** A member that fails is retried after the others, and then left to their own sync. */
  async #fail(change: PlannedChange, error: unknown): Promise<void> {
    if (error instanceof HeldBack) throw error;
    const isBusy = error instanceof AppError && error.code === 'busy';
    const isRefused = isRefusedByDiscord(error);
    logger[error instanceof AppError ? 'info' : 'error'](
      { err: error, chatUserId: change.chatUserId },
      'change failed',
    );
    if (isBusy || (!isRefused && !this.#failedOnce.has(change.chatUserId))) {
      if (!isBusy) this.#failedOnce.add(change.chatUserId);
      await updateChange(change, { dueAt: clock.now() });
      await this.run.check();
    } else {
      await giveUpChange(change, error);
      await this.#count('failed', { blocked: change.blocked });
    }
    if (isRefused) this.outage.failuresInARow = 0;
    if (isRefused || !(error instanceof ChatPlatformUnavailable)) return;
    this.outage.failuresInARow += 1;
    if (this.outage.failuresInARow >= mostFailuresInARow) throw error;
  }

  /** Updating the job's counters also detects that the job was cancelled. */
  async #count(
    outcome: 'changed' | 'skipped' | 'failed',
    { made, blocked }: { made?: PlannedChange['made'] | undefined; blocked: PlannedChange['blocked'] },
    isWritten = true,
  ): Promise<void> {
    const increments = {
      [`applied.${outcome}`]: 1,
      'applied.blocked': blocked.length > 0 ? 1 : 0,
      ...(!isWritten && { 'pace.unwritten': 1 }),
      'applied.lost': outcome === 'changed' && made !== undefined && made.remove.length > 0 ? 1 : 0,
    };
    await yieldToInteractive();
    await this.run.advance({ $inc: increments, ...(outcome !== 'failed' && { $unset: { waiting: 1 } }) });
  }
}

/** Gives a change up: the member's own syncs, which go on for a day, take it over. */
async function giveUpChange(change: PlannedChange, error: unknown): Promise<void> {
  const { guildId, chatUserId, expected, blocked } = change;
  const failure = { error, roleIds: [...expected.add, ...expected.remove], blocked };
  await postponeSync(guildId, chatUserId, 'resync', { ...failure, counted: true });
  await countFact(guildId, 'syncFailed');
  await updateChange(change, { state: 'failed' });
}

/** The rules are read no more often than this. */
const freshForMs = 2_000;

/** Whether the rest of a plan is void because the guild's rules have changed. A plan that was shown stays valid. */
class RulesWatch {
  #readAt = Number.NEGATIVE_INFINITY;
  #rulesKey = Promise.resolve('');

  constructor(readonly job: Pick<StoredPlan, 'fixedPlan' | 'rulesKey'>) {}

  async haveChanged(guild: Guild): Promise<boolean> {
    if (this.job.fixedPlan) return false;
    const now = clock.monotonicMs();
    if (now - this.#readAt >= freshForMs) {
      this.#readAt = now;
      this.#rulesKey = readRulesKey(guild);
    }
    return (await this.#rulesKey) !== this.job.rulesKey;
  }
}
