import { setTimeout as delay } from 'node:timers/promises';
import { systemActor } from '../../../core/actors/actor.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { FairQueue } from '../../../lib/fair-queue.js';
import { logger } from '../../../lib/logger.js';
import { inLane, type Lane } from '../../../platforms/discord/lane.js';
import { linkKnownMember } from '../../members/account-settling.js';
import type { SyncTrigger } from '../../members/member-model.js';
import { forgiveSync, restSync, takeDueSync } from '../../members/owed-syncs.js';
import { syncMember } from './member-sync.js';

/** How many syncs the job works off at once. */
const concurrency = 4;

/**
 * Syncs that were just asked for, by guild, so that a flood of joins in one delays no other (SPEC §6.5). They are owed
 * in the database, so the queue may be lost at any moment.
 */
const queue = new FairQueue({ inAll: 16, perKey: 4 });

/** Runs a sync that is owed as soon as there is room, without waiting for it. */
export function syncSoon({ guildId, chatUserId }: { guildId: string; chatUserId: string }, trigger: SyncTrigger): void {
  // The lane is entered inside the queue, which runs a task in the context of whichever ended before it.
  const run = () => inLane(laneOf(trigger), () => runOwedSync(guildId, chatUserId, trigger));
  queue.add(guildId, run, { urgent: trigger === 'join' });
}

/** Who joins is waiting for their roles; the rest can wait for who is (SPEC §6.5). */
const laneOf = (trigger: SyncTrigger): Lane => (trigger === 'join' ? 'interactive' : 'single');

/** Works off the syncs that are due: what failed, and what a killed process left behind. */
export async function runDueSyncs(signal: AbortSignal): Promise<void> {
  const work = async () => {
    while (!signal.aborted) {
      const due = await takeDueSync(clock.now());
      if (due === null) return;
      const { guildId, chatUserId, owedSync } = due;
      await inLane(laneOf(owedSync.trigger), () => runOwedSync(guildId, chatUserId, owedSync.trigger));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Takes up no more syncs and waits a while for those that are running; the rest stays owed. */
export async function stopBackgroundSyncs(withinMs = 10_000): Promise<void> {
  await Promise.race([queue.clear(), delay(withinMs, undefined, { ref: false })]);
}

/** Never throws: what fails stays owed, and the job takes it up again. */
async function runOwedSync(guildId: string, chatUserId: string, trigger: SyncTrigger): Promise<void> {
  try {
    const guild = await findPresentGuild(guildId);
    if (guild === null) return await forgiveSync(guildId, chatUserId);
    if (guild.state === 'suspended') return await restSync(guildId, chatUserId);
    if (trigger === 'join') await linkKnownMember(guildId, chatUserId);
    await syncMember(guild, chatUserId, { trigger, actor: systemActor(trigger) });
  } catch (error) {
    const level = error instanceof AppError ? 'info' : 'error';
    logger[level]({ err: error, guildId, chatUserId, trigger }, 'sync failed');
  }
}
