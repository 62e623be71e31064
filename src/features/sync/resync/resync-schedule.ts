import { type Guild, pageOfGuilds } from '../../../core/guilds/guild-service.js';
import {
  claimGuildToReconcile,
  enqueueReconciliation,
  postponeReconciliation,
} from '../../../core/guilds/pending-reconciliations.js';
import { plans } from '../../../core/plans/plans.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { logger } from '../../../lib/logger.js';
import { eachPart } from '../../../lib/patient-work.js';
import { hourMs, minuteMs } from '../../../lib/time.js';
import { standing } from '../../../platforms/jobs/standing.js';
import { makeSyncsDueNow } from '../../members/pending-syncs.js';
import { Plans } from '../plan/plan-model.js';
import { reconciliationActor } from './resync-draft.js';
import { endUnconfirmed, wakeOpenResyncs } from './resync-job.js';
import { startResync } from './resync-service.js';
import { wakeUndos } from './switch-undo.js';

const guildsPerRead = 500;
/** Maximum hours between a guild's reconciliations, for any plan and settings: stored data would drift otherwise. */
const mostHours = 24;
/** Maximum concurrent reconciliations over all guilds, without those that wait for a platform or an admin. */
const mostAtOnce = 20;

export const reconcileGuilds = standing({
  name: 'catch-up-guilds',
  everyMs: 30_000,
  atStart: false,
  run: (signal) => startReconciliations(signal),
});

/** Resyncs with a killed process, resyncs that waited for a platform, and unconfirmed ones. */
standing({
  name: 'resume-resyncs',
  everyMs: 30_000,
  atStart: true,
  async run(signal) {
    const now = clock.now();
    await eachPart(
      signal,
      () => endUnconfirmed(now),
      () => wakeOpenResyncs(now),
      () => wakeUndos(),
    );
  },
});

/** Every guild's daily reconciliation, or a more frequent one by plan and settings (RESYNC-30). */
standing({
  name: 'automatic-resyncs',
  everyMs: 5 * minuteMs,
  atStart: false,
  run: (signal) => enqueueRegularReconciliations(clock.now(), signal),
});

/** Starts a whole resync in each guild with a pending reconciliation (RESYNC-32), longest wait first. */
export async function startReconciliations(signal: AbortSignal): Promise<void> {
  for (let free = mostAtOnce - (await countRunning()); free > 0 && !signal.aborted; ) {
    const guild = await claimGuildToReconcile();
    if (guild === null) return;
    try {
      await makeSyncsDueNow(guild._id);
      const { isNew } = await startResync(guild, reconciliationActor);
      if (isNew) free -= 1;
      // A resync that began before the reconciliation was enqueued does not complete it.
      else await postponeReconciliation(guild);
    } catch (err) {
      logger.warn({ err, guildId: guild._id }, 'catch-up not started');
    }
  }
}

function countRunning(): Promise<number> {
  const { kind, id } = reconciliationActor;
  const running = { open: true as const, awaitingConfirmation: null, waiting: null };
  return Plans.acrossGuilds.countDocuments({ ...running, 'actor.kind': kind, 'actor.id': id }).exec();
}

/** Enqueues a reconciliation for guilds that are due by their plan and settings (RESYNC-30). */
export async function enqueueRegularReconciliations(now: Date, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const guilds = await pageOfGuilds(after, guildsPerRead);
    const last = guilds.at(-1);
    if (last === undefined) return;
    after = last._id;
    const due: string[] = [];
    for (const guild of guilds) if (await isDue(guild, now)) due.push(guild._id);
    if (due.length > 0) await enqueueReconciliation(due);
  }
}

async function isDue(guild: Guild, now: Date): Promise<boolean> {
  const { _id, plan, state, catchUpSince, caughtUpAt, joinedAt } = guild;
  const hours = (now.getTime() - (caughtUpAt ?? joinedAt).getTime()) / hourMs;
  if (state === 'suspended' || catchUpSince !== undefined || hours < (plans[plan].resyncEveryHours ?? mostHours))
    return false;
  return hours >= mostHours || hours >= automaticEveryHours(guild, await readSettings(_id));
}

/** Hours between a guild's automatic reconciliations: daily, or more often if its settings ask and its plan allows. */
export function automaticEveryHours({ plan }: Pick<Guild, 'plan'>, { resync }: GuildSettings): number {
  const allowed = plans[plan].resyncEveryHours;
  if (allowed === null || !resync.automatic) return mostHours;
  return Math.min(mostHours, Math.max(allowed, resync.everyHours ?? allowed));
}
