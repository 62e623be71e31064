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
import { claimMs, claimSync, restSync, takeDueSync } from '../../members/pending-syncs.js';
import type { SyncCause } from './member-change.js';
import { syncMember } from './member-sync.js';
import { postponeSync } from './sync-retries.js';

/** How many of the syncs that are due run at once, and how many of one guild. */
const due = { inAll: 8, perGuild: 2 };
/** Whoever waits no longer than this is overtaken by nobody while they are synced: what is owed is not due before. */
const promptMs = { join: claimMs / 2, other: 2_000 };

/**
 * Syncs that were just asked for, by guild, so that a flood in one delays no other (SYNC-38). They are owed in the
 * database, so a queue may be lost at any moment. Of those who join many run at once: they share what they read.
 */
const queues = {
  joins: new FairQueue({ inAll: 100, perKey: 50 }),
  others: new FairQueue({ inAll: 16, perKey: 4 }),
};

/**
 * Runs a sync that is owed as soon as there is room, without waiting for it; `told`: the member as the gateway has just
 * told of their joining.
 */
export function syncSoon(
  { guildId, chatUserId }: { guildId: string; chatUserId: string },
  trigger: SyncTrigger,
  gatewayMember?: GuildMember,
): void {
  const askedAt = clock.monotonicMs();
  const run = async () => {
    // What a job asks for right after a start is left to the look at what is due, which waits for the bot.
    if (!hasConnected()) return;
    const waitedMs = clock.monotonicMs() - askedAt;
    // Long after, the gateway may have told otherwise.
    const cause = { trigger, ...(gatewayMember !== undefined && waitedMs < claimMs && { told: gatewayMember }) };
    if (waitedMs < promptMs[trigger === 'join' ? 'join' : 'other']) await runPendingSync(guildId, chatUserId, cause);
    else if (await isStillPending(guildId, chatUserId))
      await runPendingSync(guildId, chatUserId, { ...cause, ifOwed: true });
  };
  // The lane is entered inside the queue, which runs a task in the context of whichever ended before it.
  queues[trigger === 'join' ? 'joins' : 'others'].add(guildId, () => inLane(laneOf(trigger), run));
}

/** Who joins is waiting for their roles; the rest can wait for who is (SYNC-37). */
const laneOf = (trigger: SyncTrigger): Lane => (trigger === 'join' ? 'interactive' : 'single');

standing({
  name: 'retry-syncs',
  everyMs: 5 * secondMs,
  atStart: false,
  inEachProcess: true,
  run: (signal) => lookForDueSyncs(signal),
});

/**
 * Works off what is due (SYNC-3), unless this process has just started: before the bot has connected each sync would
 * fail, and be told of as failed.
 */
export async function lookForDueSyncs(signal: AbortSignal): Promise<void> {
  if (hasConnected()) await runDueSyncs(signal);
}

/**
 * Works off the syncs that are due, guild by guild in turn: what failed, what was postponed, and what a killed process
 * left behind.
 */
export async function runDueSyncs(signal: AbortSignal): Promise<void> {
  await mendIfSetBack();
  const turns = new DueTurns();
  const work = async () => {
    for (let next = await turns.take(); next !== null && !signal.aborted; next = await turns.take()) {
      const { guildId, chatUserId, owedSync: pendingSync } = next;
      await inLane(laneOf(pendingSync.trigger), () =>
        runPendingSync(guildId, chatUserId, { trigger: pendingSync.trigger, ifOwed: true }),
      );
      turns.end(guildId);
    }
  };
  await Promise.all(Array.from({ length: due.inAll }, work));
}

/** Gives the syncs that are due, one of each guild in turn, and of none more than so many at once. */
class DueTurns {
  readonly #running: string[] = [];
  readonly #takes = new PQueue({ concurrency: 1 });
  #isEmpty = false;

  take() {
    return this.#takes.add(async () => {
      if (this.#isEmpty) return null;
      const except = [...new Set(this.#running)].filter((id) => this.#countOf(id) >= due.perGuild);
      const next = await takeDueSync(except);
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

/** Takes up no more syncs and waits a while for those that are running; the rest stays owed. */
export async function stopBackgroundSyncs(withinMs = 10_000): Promise<void> {
  const ends = Object.values(queues).map((queue) => queue.clear());
  await Promise.race([Promise.all(ends), delay(withinMs, undefined, { ref: false })]);
}

async function isStillPending(guildId: string, chatUserId: string): Promise<boolean> {
  return claimSync({ guildId, chatUserId }).catch((err: unknown) => {
    logger.error({ err, guildId, chatUserId }, 'sync left for later');
    return false;
  });
}

/** Links who joined, or owes them the message. A fault leaves the sync for later and later, as a fault of the sync does. */
async function welcomeJoiner(guildId: string, chatUserId: string): Promise<void> {
  try {
    if (!(await linkJoiner(guildId, chatUserId))) await enqueueJoinMessage(guildId, chatUserId);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable')
      await postponeSync(guildId, chatUserId, 'join', { error });
    throw error;
  }
}

/** Never throws: what fails stays owed, and the job takes it up again. */
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
