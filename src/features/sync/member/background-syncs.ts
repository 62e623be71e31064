import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { systemActor } from '../../../core/actors/actor.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { logger } from '../../../lib/logger.js';
import { inLane, type Lane } from '../../../platforms/discord/lane.js';
import { linkKnownMember } from '../../members/account-settling.js';
import type { SyncTrigger } from '../../members/member-model.js';
import { forgiveSync, restSync, takeDueSync } from '../../members/owed-syncs.js';
import { syncMember } from './member-sync.js';

/** How many run at once of each kind: those just asked for, and those that the job works off. */
const concurrency = 4;

/** Syncs that nobody waits for. They are owed in the database, so the queue may be lost at any moment. */
const queue = new PQueue({ concurrency });

/** Runs a sync that is owed as soon as there is room, without waiting for it. */
export function syncSoon({ guildId, chatUserId }: { guildId: string; chatUserId: string }, trigger: SyncTrigger): void {
  // The lane is entered inside the queue: p-queue runs its tasks in the context of whichever started it.
  void queue.add(() => inLane(laneOf(trigger), () => runOwedSync(guildId, chatUserId, trigger)));
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
  queue.clear();
  await Promise.race([queue.onIdle(), delay(withinMs, undefined, { ref: false })]);
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
