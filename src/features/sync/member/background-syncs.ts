import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { systemActor } from '../../../core/actors/actor.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { FairQueue } from '../../../lib/fair-queue.js';
import { logger } from '../../../lib/logger.js';
import { secondMs } from '../../../lib/time.js';
import { mendIfSetBack } from '../../../platforms/database/due-times.js';
import { hasConnected } from '../../../platforms/discord/gateway-state.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { inLane, type Lane } from '../../../platforms/discord/rest/lane.js';
import { standing } from '../../../platforms/jobs/standing.js';
import { linkJoiner } from '../../accounts/account-settling.js';
import { enqueueJoinMessage } from '../../accounts/join-messages.js';
import type { SyncTrigger } from '../../members/member-sync-fields.js';
import { claimDueSync, claimSync, restSync } from '../../members/pending-syncs.js';
import type { SyncCause } from './member-change.js';
import { syncMember } from './member-sync.js';
import { postponeSync } from './sync-retries.js';
import { endWait, forgetWaitingJoins, noteWaitingJoin } from './waiting-joins.js';

/** Maximum concurrent due syncs, in all and per guild. */
const due = { inAll: 8, perGuild: 2 };
/** A sync that starts within this time can't be claimed by another process: pending syncs are not due before. */
const promptMs = 2_000;

/**
 * Newly requested syncs, by guild, so that a flood in one delays no other (SYNC-38). They are pending in the database,
 * so a queue may be lost at any moment. Many joins run at the same time, since they share their reads.
 */
const queues = {
  joins: new FairQueue({ inAll: 100, perKey: 50, refillAt: 10 }),
  others: new FairQueue({ inAll: 16, perKey: 4 }),
};

/**
 * Runs a pending sync as soon as there is room, without waiting for it; `gatewayMember`: the member from the gateway's
 * join event.
 */
export function syncSoon(
  { guildId, chatUserId }: { guildId: string; chatUserId: string },
  trigger: SyncTrigger,
  gatewayMember?: GuildMember,
): void {
  if (trigger === 'join') {
    joinSoon(guildId, chatUserId, gatewayMember);
    return;
  }
  const askedAt = clock.monotonicMs();
  const run = async () => {
    // Syncs requested right after a start are left to the poll of due syncs, which waits for the bot.
    if (!hasConnected()) return;
    if (clock.monotonicMs() - askedAt < promptMs) await runPendingSync(guildId, chatUserId, { trigger });
    else if (await isStillPending(guildId, chatUserId))
      await runPendingSync(guildId, chatUserId, { trigger, ifPending: true });
  };
  // The lane is entered inside the queue, since the queue runs a task in the context of the task that ended before it.
  queues.others.add(guildId, () => inLane(laneOf(trigger), run));
}

/** A waiting member stays claimed, and the gateway reports their changes, so they are not read from Discord. */
function joinSoon(guildId: string, chatUserId: string, gatewayMember?: GuildMember): void {
  if (!noteWaitingJoin(guildId, chatUserId, gatewayMember)) return;
  const run = async () => {
    const { gatewayMember: latest, isClaimed } = endWait(guildId, chatUserId);
    if (!hasConnected() || !(isClaimed || (await isStillPending(guildId, chatUserId)))) return;
    await runPendingSync(guildId, chatUserId, {
      trigger: 'join',
      ifPending: true,
      ...(latest !== undefined && { gatewayMember: latest }),
    });
  };
  queues.joins.add(guildId, () => inLane(laneOf('join'), run));
}

/** The lane of a sync: a joining member waits for roles, and other syncs yield to interactive calls (SYNC-37). */
const laneOf = (trigger: SyncTrigger): Lane => (trigger === 'join' ? 'interactive' : 'single');

standing({
  name: 'retry-syncs',
  everyMs: 5 * secondMs,
  atStart: false,
  inEachProcess: true,
  run: (signal) => pollDueSyncs(signal),
});

/**
 * Runs due syncs (SYNC-3), unless this process has just started: before the bot is connected each sync would fail, and
 * be reported as failed.
 */
export async function pollDueSyncs(signal: AbortSignal): Promise<void> {
  if (hasConnected()) await runDueSyncs(signal);
}

/** Runs due syncs, guild by guild in turn: failed and postponed ones, and those of killed processes. */
export async function runDueSyncs(signal: AbortSignal): Promise<void> {
  await mendIfSetBack();
  const turns = new DueTurns();
  const work = async () => {
    for (let next = await turns.take(); next !== null && !signal.aborted; next = await turns.take()) {
      const { guildId, chatUserId, owedSync: pendingSync } = next;
      await inLane(laneOf(pendingSync.trigger), () =>
        runPendingSync(guildId, chatUserId, { trigger: pendingSync.trigger, ifPending: true }),
      );
      turns.end(guildId);
    }
  };
  await Promise.all(Array.from({ length: due.inAll }, work));
}

/** Hands out due syncs, one per guild in turn, up to a maximum per guild. */
class DueTurns {
  readonly #running: string[] = [];
  readonly #takes = new PQueue({ concurrency: 1 });
  #isEmpty = false;

  take() {
    return this.#takes.add(async () => {
      if (this.#isEmpty) return null;
      const except = [...new Set(this.#running)].filter((id) => this.#countOf(id) >= due.perGuild);
      const next = await claimDueSync(except);
      this.#isEmpty = next === null && except.length === 0;
      if (next !== null) this.#running.push(next.guildId);
      return next;
    });
  }

  end(guildId: string): void {
    this.#running.splice(this.#running.indexOf(guildId), 1);
  }

  #countOf(guildId: string): number {
    return this.#running.filter((id) => id === guildId).length;
  }
}

/** Starts no more syncs and waits a while for running ones; the rest stays pending. */
export async function stopBackgroundSyncs(withinMs = 10_000): Promise<void> {
  const ends = Object.values(queues).map((queue) => queue.clear());
  forgetWaitingJoins();
  await Promise.race([Promise.all(ends), delay(withinMs, undefined, { ref: false })]);
}

async function isStillPending(guildId: string, chatUserId: string): Promise<boolean> {
  return claimSync({ guildId, chatUserId }).catch((err: unknown) => {
    logger.error({ err, guildId, chatUserId }, 'sync postponed');
    return false;
  });
}

/**
 * Links a joined member, or enqueues the join message. After a fault the sync is retried at growing intervals, as after
 * a fault of its own.
 */
async function welcomeJoiner(guildId: string, chatUserId: string): Promise<void> {
  try {
    if (!(await linkJoiner(guildId, chatUserId))) await enqueueJoinMessage(guildId, chatUserId);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable')
      await postponeSync(guildId, chatUserId, 'join', { error });
    throw error;
  }
}

/** Never throws: a failed sync stays pending, and the job claims it again. */
async function runPendingSync(guildId: string, chatUserId: string, cause: Omit<SyncCause, 'actor'>): Promise<void> {
  const { trigger } = cause;
  try {
    const guild = await findPresentGuild(guildId);
    if (guild === null || guild.state === 'suspended') return await restSync(guildId, chatUserId);
    if (trigger === 'join') await welcomeJoiner(guildId, chatUserId);
    await syncMember(guild, chatUserId, { ...cause, actor: systemActor(trigger) });
  } catch (error) {
    const level = error instanceof AppError ? 'info' : 'error';
    logger[level]({ err: error, guildId, chatUserId, trigger }, 'sync failed');
  }
}
