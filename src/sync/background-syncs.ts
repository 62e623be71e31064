import PQueue from 'p-queue';
import { systemActor } from '../auth/actor.js';
import { findPresentGuild } from '../guilds/guild-service.js';
import { AppError } from '../lib/errors.js';
import { logger } from '../lib/logger.js';
import { linkKnownMember } from '../members/account-settling.js';
import type { SyncTrigger } from '../members/member-model.js';
import { syncMember } from './member-sync.js';
import { forgiveSync, restSync, takeDueSync } from './owed-syncs.js';

/** How many run at once of each kind: those just asked for, and those that the job works off. */
const concurrency = 4;

/** Syncs that nobody waits for. They are owed in the database, so the queue may be lost at any moment. */
const queue = new PQueue({ concurrency });

/** Runs a sync that is owed as soon as there is room, without waiting for it. */
export function syncSoon({ guildId, chatUserId }: { guildId: string; chatUserId: string }, trigger: SyncTrigger): void {
  void queue.add(() => runOwedSync(guildId, chatUserId, trigger));
}

/** Works off the syncs that are due: what failed, and what a killed process left behind. */
export async function runDueSyncs(signal: AbortSignal): Promise<void> {
  const work = async () => {
    while (!signal.aborted) {
      const due = await takeDueSync(new Date());
      if (due === null) return;
      await runOwedSync(due.guildId, due.chatUserId, due.owedSync.trigger);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Takes up no more syncs and waits for those that are running; the rest stays owed. */
export async function stopBackgroundSyncs(): Promise<void> {
  queue.clear();
  await queue.onIdle();
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
