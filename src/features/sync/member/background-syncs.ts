import { setTimeout as delay } from 'node:timers/promises';
import { systemActor } from '../../../core/actors/actor.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { FairQueue } from '../../../lib/fair-queue.js';
import { inLane, type Lane } from '../../../lib/lane.js';
import { logger } from '../../../lib/logger.js';
import { secondMs } from '../../../lib/time.js';
import { mendIfSetBack } from '../../../platforms/database/due-times.js';
import { hasConnected } from '../../../platforms/discord/gateway-state.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { standing } from '../../../platforms/jobs/standing.js';
import { linkJoiner } from '../../accounts/account-settling.js';
import { enqueueJoinMessage } from '../../accounts/join-messages.js';
import type { SyncTrigger } from '../../members/member-sync-fields.js';
import { claimDueSync, claimSync, restSync } from '../../members/pending-syncs.js';
import type { SyncCause } from './member-change.js';
import { syncMember } from './member-sync.js';
import { postponeSync } from './sync-retries.js';
import { endWait, forgetWaitingJoins, noteWaitingJoin } from './waiting-joins.js';

/** Interval at which due syncs are claimed, also while slow ones run. */
const dueEveryMs = 5 * secondMs;
/** A sync that starts within this time can't be claimed by another process: pending syncs are not due before. */
const promptMs = 2_000;

/**
 * Newly requested syncs, by guild, so that a flood in one delays no other (SYNC-38). They are pending in the database,
 * so a queue may be lost at any moment. Many joins run at the same time, since they share their reads.
 */
const queues = {
  joins: new FairQueue({ inAll: 100, perKey: 50, refillAt: 10 }),
  others: new FairQueue({ inAll: 16, perKey: 4 }),
  due: new FairQueue({ inAll: 8, perKey: 2 }),
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
    // Syncs requested right after a start are left to the poll for due syncs, which waits for the bot.
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

/** A sync's lane (SYNC-37): a joining member waits for roles. */
const laneOf = (trigger: SyncTrigger): Lane => (trigger === 'join' ? 'join' : 'single');

standing({
  name: 'retry-syncs',
  everyMs: dueEveryMs,
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

/**
 * Runs due syncs, guild by guild in turn, until none is left: failed and postponed ones, and killed processes' syncs. A
 * claim is short, so a sync is claimed only when it can start. While slow ones run, the others go on.
 */
export async function runDueSyncs(signal: AbortSignal): Promise<void> {
  await mendIfSetBack();
  const queue = queues.due;
  let mayBeMore = true;
  while (!signal.aborted) {
    const full = queue.fullKeys();
    const next = mayBeMore && queue.hasRoom ? await claimDueSync(full) : null;
    if (next !== null) {
      queue.add(next.guildId, () => runDueSync(next));
      continue;
    }
    if (queue.isIdle) return;
    mayBeMore &&= full.length > 0 || !queue.hasRoom;
    const isOver = await Promise.race([queue.nextEnd(), delay(dueEveryMs, true, { ref: false })]);
    mayBeMore ||= isOver === true;
  }
}

function runDueSync({ guildId, chatUserId, owedSync: { trigger } }: DueSync): Promise<void> {
  return inLane(laneOf(trigger), () => runPendingSync(guildId, chatUserId, { trigger, ifPending: true }));
}

type DueSync = NonNullable<Awaited<ReturnType<typeof claimDueSync>>>;

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
 * its own fault.
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
