import { setInterval as ticks } from 'node:timers/promises';
import type { UpdateQuery } from 'mongoose';
import { findPresentGuild, type Guild } from '../../../core/guilds/guild-service.js';
import type { Lease } from '../../../platforms/database/lease.js';
import type { MappingTally } from '../plan/mapping-tally.js';
import { Plans, type ResyncError, type StoredPlan } from '../plan/plan-model.js';
import { guildWasSuspended } from './resync-ending.js';
import type { GuildReading } from './resync-ranks.js';

/** How often a waiting run checks whether it should continue. */
const checkEveryMs = 1_000;

/** Ends a run because the job is finished or another process has it. */
export class ResyncEnded extends Error {
  override readonly name = 'ResyncEnded';
}

/** Ends a run because the guild is suspended or has lost the bot: the job is cancelled. */
export class ResyncStopped extends Error {
  override readonly name = 'ResyncStopped';

  constructor(readonly reason: ResyncError) {
    super(reason.message);
  }
}

/** This process's work on a job, for as long as it holds the job's lease. */
export class ResyncRun {
  /** Aborted if the work has to end, with the reason. */
  readonly signal: AbortSignal;
  /** Aborted if another process has to go on: the service stops, or the lease is lost. */
  readonly handOver: AbortSignal;
  /** The tally over all members, if this run has planned all. */
  tally: MappingTally | undefined;
  /** The facts behind its planning, if this run has planned. */
  reading: GuildReading | undefined;
  readonly #end = new AbortController();

  constructor(
    /** As last read or written. */
    public job: StoredPlan,
    lease: Pick<Lease, 'signal'>,
    stopping: AbortSignal,
  ) {
    this.handOver = AbortSignal.any([stopping, lease.signal]);
    this.signal = AbortSignal.any([this.handOver, this.#end.signal]);
  }

  /** Changes the job. Throws ResyncEnded if this run no longer has it. */
  async advance(change: UpdateQuery<StoredPlan>): Promise<void> {
    const { _id, guildId, fence } = this.job;
    const job = await Plans.update({ _id, guildId, open: true, fence }, change);
    if (job === null) throw new ResyncEnded();
    this.job = job;
  }

  /** The guild, if the work is still wanted. Throws ResyncEnded, ResyncStopped, and the error that ended the run. */
  async check(): Promise<Guild> {
    const { _id, guildId, fence } = this.job;
    const job = await Plans.findOne({ _id, guildId, open: true, fence });
    if (job === null) throw new ResyncEnded();
    return this.servedGuild();
  }

  /** The guild, right after the job was advanced, since that update also checks the job. */
  async servedGuild(): Promise<Guild> {
    this.signal.throwIfAborted();
    const guild = await findPresentGuild(this.job.guildId);
    if (guild === null)
      throw new ResyncStopped({ code: 'bot_removed', message: 'The bot is no longer in the server.' });
    if (guild.state === 'suspended') {
      throw new ResyncStopped(guildWasSuspended);
    }
    return guild;
  }

  /** Cancels running work; queued calls are not sent. */
  end(reason: unknown): void {
    this.#end.abort(reason);
  }

  /** Checks every second until `work` is over, so that a cancellation does not wait for a slow platform. */
  async watched<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const watch = async () => {
      for await (const _ of ticks(checkEveryMs, undefined, { signal: over.signal, ref: false })) await this.check();
    };
    const watching = watch().catch((error: unknown) => {
      if (!over.signal.aborted) this.end(error);
    });
    try {
      return await work();
    } finally {
      over.abort();
      await watching;
    }
  }
}
